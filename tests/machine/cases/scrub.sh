#!/bin/bash
# A check counts every stripe with wrong parity, and a repair corrects it; in a low gear only the sets that are awake are read, unless scrub_wakes is set.
# subject: sync
# timeout: 400
# RAIDPAR_WHOLE=1: an array of three gears in each of them.
. "$(dirname "$0")/../tools/par.sh"

declare -A DAMAGE	# by a set's members: sectors of stripes, as md counts them

# noise MEMBER SECTOR AT COUNT: overwrite COUNT sectors, AT sectors after SECTOR of the device.
noise() {
	dd if=/dev/urandom of="${DEVS[$1]}" bs=512 seek=$(($2 + $3)) count="$4" oflag=direct conv=notrunc status=none
}

# damage MEMBERS: damage the parity of that set, on members that never sleep and, if it has any, on a sleeper.
damage() {
	local d sector low awake=() asleep=()
	low=$(low_gear "$LAYOUT")
	while read -r d sector; do
		if [ "$d" -lt "$low" ]; then awake+=("$d $sector"); else asleep+=("$d $sector"); fi
	done < <(dissect --parity "$1")
	assert_le 3 "${#awake[@]}" "rows of the set of $1 with parity on members that never sleep"
	# shellcheck disable=SC2086  # member and sector
	{
		noise ${awake[0]} 0 1				# in one stripe,
		noise ${awake[${#awake[@]} / 2]} 120 8		# the last one of a row,
		noise ${awake[-1]} 15 10			# three stripes: sectors 15 to 24
		DAMAGE[$1]=$((5 * 8))
		[ "$1" != "$low" ] || return 0
		assert_ne "${#asleep[@]}" 0 "rows of the set of $1 with parity on a sleeper"
		noise ${asleep[${#asleep[@]} / 2]} 67 1
		DAMAGE[$1]=$((6 * 8))
	}
}

damage_all() {
	local members
	DAMAGE=()
	for members in $(gears "$LAYOUT"); do damage "$members"; done
	refused dissect
	assert_match "$REFUSAL" 'P \(member [0-9]*\) is wrong' "the disks taken apart"
}

# damage_up_to GEAR: damage all sets whose members are awake in GEAR; sets_above GEAR: print the others.
damage_up_to() {
	local members sum=0
	for members in "${!DAMAGE[@]}"; do [ "$members" -gt "$1" ] || sum=$((sum + DAMAGE[$members])); done
	echo "$sum"
}

sets_above() {
	local members above=()
	for members in $(gears "$LAYOUT"); do [ "$members" -le "$1" ] || above+=("$members"); done
	echo "${above[*]:-none}"
}

# scrub ACTION MISMATCHES LEFT_OUT: run a check or repair; it finds MISMATCHES and leaves out the sets LEFT_OUT.
scrub() {
	local mark log
	mark=$(dmesg | wc -l)
	echo "$1" >"/sys/block/$MD/md/sync_action"
	mdadm --wait "/dev/$MD" || true
	wait_for "/sys/block/$MD/md/sync_action" idle
	settle
	assert_eq "$(<"/sys/block/$MD/md/mismatch_cnt")" "$2" "$LAYOUT, gear $(par gear): sectors that a $1 found"
	assert_eq "$(par scrub_left_out)" "$3" "$LAYOUT, gear $(par gear): sets that a $1 left out"
	log=$(dmesg | tail -n +$((mark + 1)) | sed -n "s/.*the set of \([0-9]*\) members is left out of the $1: .*/\1/p" | sort -n)
	assert_eq "${log:-none}" "${3// /$'\n'}" "sets that the kernel log says a $1 left out"
}

scrub_in() {
	local gear=$1 top here all left
	note "$LAYOUT: gear $gear"
	top=$(top_gear "$LAYOUT")
	shift_to "$gear"
	stop_par
	damage_all
	assemble_par
	settle
	assert_eq "$(par gear)" "$gear" "gear after assembly"
	here=$(damage_up_to "$gear")
	all=$(damage_up_to "$top")
	left=$(sets_above "$gear")

	watch_sleepers
	scrub check "$here" "$left"
	scrub check "$here" "$left"
	assert_eq "$(par gear)" "$gear" "gear after a check"
	assert_asleep "a check in gear $gear"

	echo 1 >"/sys/block/$MD/md/par/scrub_wakes"
	scrub check "$all" none
	assert_eq "$(par gear)" "$top" "gear after a check that may wake all"
	echo 0 >"/sys/block/$MD/md/par/scrub_wakes"

	shift_to "$gear"
	watch_sleepers
	scrub repair "$here" "$left"
	scrub check 0 "$left"
	assert_eq "$(par gear)" "$gear" "gear after a repair"
	assert_asleep "a repair in gear $gear"

	echo 1 >"/sys/block/$MD/md/par/scrub_wakes"
	scrub repair $((all - here)) none
	assert_eq "$(par gear)" "$top" "gear after a repair that may wake all"
	scrub check 0 none
	echo 0 >"/sys/block/$MD/md/par/scrub_wakes"
	right
}

# The data has not changed, in any gear, and the disks of the stopped array are right.
right() {
	local gear
	for gear in $(down_and_up "$LAYOUT"); do
		shift_to "$gear"
		assert_eq "$(fingerprint)" "$SUM" "content in gear $gear"
	done
	stop_par
	dissect --compare "$MACHINE_TMP/content"
	assemble_par
}

scrub_gears() {
	local gear
	fill 12
	shift_to "$(low_gear "$LAYOUT")"
	fill 4 3
	dd if="/dev/$MD" of="$MACHINE_TMP/content" bs=1M iflag=direct status=none
	SUM=$(fingerprint)
	for gear; do scrub_in "$gear"; done
}

# try LAYOUT GEAR...: scrub an array in these gears.
try() {
	on_spindles "$1" 24M
	scrub_gears "${@:2}"
	end_par
}

try 3,5 3 5
# In gear 5, sets are awake and a set is asleep.
if [ -n "${RAIDPAR_WHOLE:-}" ]; then try 3,5,8 3 5 8; else try 3,5,8 5; fi
