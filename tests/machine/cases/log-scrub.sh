#!/bin/bash
# A check in a low gear, or one that shifts up, finds all parity right while the log has newer data, and neither it nor a repair drains the log or changes what is read.
# machine: --time-travel
. "$(dirname "$0")/../tools/log.sh"

# scrub ACTION LEFT_OUT WHEN: it finds nothing wrong, leaves out these sets, and drains nothing.
scrub() {
	local drained live
	drained=$(par drained) live=$(par log_live)
	sync_now "$1"
	assert_eq "$(<"/sys/block/$MD/md/mismatch_cnt")" 0 "$LAYOUT: sectors that a $1 found $3"
	assert_eq "$(par scrub_left_out)" "$2" "$LAYOUT: sets that a $1 left out $3"
	assert_eq "$(par drained) $(par log_live)" "$drained $live" "$LAYOUT: drained, and live after a $1 $3"
}

# above GEAR: print the sets with members that sleep in it.
above() {
	local members list=()
	for members in $(gears "$LAYOUT"); do [ "$members" -le "$1" ] || list+=("$members"); done
	echo "${list[*]:-none}"
}

# differs: what is read is newer than the home set or the images.
differs() { [ "$(par log_live)" -gt $((40 * 4096)) ] || fail "$LAYOUT: only $(par log_live) bytes are live"; }

in_gear() {
	local d name
	note "$LAYOUT: gear $1"
	shift_to "$1"
	write_some "$1" 60
	differs
	watch_sleepers
	scrub check "$(above "$1")" "in gear $1"
	scrub repair "$(above "$1")" "in gear $1"
	same "after a repair in gear $1"
	assert_asleep "scrubs in gear $1"
	flushed_crash "$1"
	settle
	assert_eq "$(par gear)" "$1" "$LAYOUT: gear after a cut"
	differs
	scrub check "$(above "$1")" "after a cut"
	same "after a cut"

	# In the top gear the log would be drained at once, but it cannot be read.
	for d in 0 1 2 3; do [ "$d" -ge "$(low_gear "$LAYOUT")" ] || cut_off_log "$d"; done
	echo 1 >"$PAR/scrub_wakes"
	scrub check none "that shifts up"
	assert_eq "$(par gear)" "$(top_gear "$LAYOUT")" "$LAYOUT: gear after a check that shifts up"
	scrub repair none "in the top gear"
	echo 0 >"$PAR/scrub_wakes"
	differs
	mend_disks
	same "after a repair in the top gear"
	wait_for "$PAR/log_used" 0 60
	scrub check none "after the drain"
	same "after the drain"
}

# Of three gears, the middle one: two sets are read there, and one is left out.
while read -r layout gear; do
	on_log "$layout" 8 64M seed=5
	in_gear "$gear"
	dd if="/dev/$MD" of="$MACHINE_TMP/content" bs=1M iflag=direct status=none
	stop_par
	dissect --compare "$MACHINE_TMP/content"
	rmdisks
done <<'END'
3,5 3
raid6:4,6 4
2,3,5 3
END
