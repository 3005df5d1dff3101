#!/bin/bash
# An array that crashed while it was being written, and lacks a member, starts only with --force; all data outside the ranges named in the log is right.
# plain: yes
# timeout: 600
# RAIDPAR_WHOLE=1: other members, in other gears.
. "$(dirname "$0")/../tools/par.sh"

PLACE=${TMPDIR:-/tmp}/place
MIB_APART=96	# a zone of 3,5 is 128 MiB of the array, of raid6:4,8 192 MiB

# Write different random data to several places. The disks are new each time, so the data may
# be the same each time.
fill_places() {
	local i
	PLACES=$(($(array_mib) / MIB_APART))
	for ((i = 0; i < PLACES; i++)); do
		[ -e "$PLACE$i" ] || dd if=/dev/urandom of="$PLACE$i" bs=1M count=1 status=none
		dd if="$PLACE$i" of="/dev/$MD" bs=1M seek=$((i * MIB_APART)) oflag=direct \
			conv=fsync,notrunc status=none
	done
	reassemble_par	# no intent is left
}

# write_place PLACE: write a part of it durably; the writes to the rest are still under way.
write_place() {
	local at=$(($1 * MIB_APART * 256))
	dd if=/dev/urandom of="/dev/$MD" bs=4k count=64 seek="$at" oflag=direct \
		conv=notrunc status=none
	dd if=/dev/urandom of="/dev/$MD" bs=4k count=192 seek=$((at + 64)) oflag=direct \
		conv=notrunc status=none 2>/dev/null &
	nap 0.05
}

# Cut the power while a place is being written, and assemble without anything in the page cache.
crash_writing() {
	local i=$1
	write_place "$i"
	echo "$i" >"$SPINDLES/cut"
	wait "$!" || true
	stop_par
	echo all >"$SPINDLES/restore"
}

# Print the ranges in doubt, in sectors of the array, in the kernel log since the mark.
doubt() {
	log_since | sed -n 's/.*in doubt: array sectors \([0-9]*\) to \([0-9]*\)$/\1 \2/p'
}

in_doubt() {
	local at=$(($1 * MIB_APART * 2048)) first last
	while read -r first last; do
		[ -n "$first" ] || return 1
		[ "$last" -lt "$at" ] || [ "$first" -ge $((at + 2048)) ] || return 0
	done <<<"$DOUBT"
	return 1
}

# compare_places WRITTEN: all places outside the ranges in doubt are right. WRITTEN must be in doubt.
compare_places() {
	local i certain=0
	in_doubt "$1" || fail "place $1 was being written and is not in doubt: $DOUBT"
	for ((i = 0; i < PLACES; i++)); do
		! in_doubt "$i" || continue
		dd if="/dev/$MD" of="$PLACE" bs=1M count=1 skip=$((i * MIB_APART)) iflag=direct status=none
		cmp "$PLACE" "$PLACE$i" || fail "place $i differs, which is not in doubt"
		certain=$((certain + 1))
	done
	note "$certain of $PLACES places are not in doubt"
	[ "$certain" -gt 2 ] || fail "nearly all is in doubt: $DOUBT"
}

clean_superblocks() {
	local dev
	for dev in "$@"; do
		assert_match "$(mdadm --examine "$dev")" 'State : clean' "superblock of $dev"
	done
}

# refused_then_forced PLACE DEVICE...: the array does not start with these devices, but does with --force.
refused_then_forced() {
	local place=$1
	shift
	note "refused"
	mark_log
	refused mdadm --assemble --run "/dev/$MD" "$@"
	assert_match "$REFUSAL" 'Bad message' "mdadm's message"
	assert_match "$REFUSAL" 'lacks a member. --assemble --force starts it' "mdadm's message"
	assert_match "$(log_since)" 'lacks a member; --force starts it' "kernel log"
	DOUBT=$(doubt)
	assert_ne "$DOUBT" "" "ranges in doubt"

	note "too few members: refused, and no later start is forced"
	refused mdadm --assemble --force --run "/dev/$MD" "${@:1:2}"
	clean_superblocks "$@"
	refused mdadm --assemble --run "/dev/$MD" "$@"
	assert_match "$REFUSAL" 'Bad message' "mdadm's message after that"

	note "forced"
	mark_log
	mdadm --assemble --quiet --force "/dev/$MD" "$@"
	assert_eq "$(doubt)" "$DOUBT" "ranges when forced"
	assert_match "$(log_since)" 'started by force' "kernel log when forced"
	settle
	compare_places "$place"
	clean_superblocks "$@"

	note "once is enough"
	stop_par
	mark_log
	mdadm --assemble --quiet --run "/dev/$MD" "$@"
	assert_eq "$(doubt)" "" "ranges after a stop"
	compare_places "$place"
}

# whole_again MEMBER...: the members return and are rebuilt, and all parity is right.
whole_again() {
	local d
	for d in "$@"; do mdadm --quiet "/dev/$MD" --add "${DEVS[d]}"; done
	wait_whole
	settle
	no_mismatch
}

begin() {
	on_spindles "$1" 768M	# three groups of zones
	fill_places
}

# Members fail, and the power is cut afterwards.
crash_degraded() {
	local layout=$1 d
	shift
	note "$layout: goes down while it lacks members $*"
	begin "$layout"
	for d in "$@"; do mdadm --quiet "/dev/$MD" --fail "${DEVS[d]}"; done
	settle
	others "$@"
	stop_par
	mdadm --assemble --quiet --run "/dev/$MD" "${OTHERS[@]}"
	crash_writing 4
	refused_then_forced 4 "${OTHERS[@]}"
	whole_again "$@"
	compare_places 4
	end_par
}

# The power is cut with all members present, and some are missing at the next start.
crash_then_lose() {
	local layout=$1 gear=$2
	shift 2
	note "$layout: goes down in gear $gear, and members $* are lost"
	begin "$layout"
	shift_to "$gear"
	others "$@"
	crash_writing 3
	refused_then_forced 3 "${OTHERS[@]}"
	end_par
}

# All members are present after the cut, and one is lost during the resync, so parity is not known to be right.
lose_resyncing() {
	note "a member is lost before the resync after a crash is over"
	begin 3,5
	crash_writing 2
	echo 500 >/proc/sys/dev/raid/speed_limit_max
	assemble_par
	assert_ne "$(par resync)" none "zones to be resynced"
	mark_log
	mdadm --quiet "/dev/$MD" --fail "${DEVS[1]}"
	wait_for "/sys/block/$MD/md/par/resync" none
	echo 200000 >/proc/sys/dev/raid/speed_limit_max
	assert_match "$(log_since)" 'lost before the resync after a crash had ended' "kernel log"
	DOUBT=$(doubt)
	settle
	compare_places 2
	mark_log
	reassemble_par
	assert_eq "$(doubt)" "" "ranges after a stop"
	end_par
}

# First mdadm --incremental for each disk, as udev runs it, then --force as an administrator would.
forced_after_incremental() {
	local dev
	note "added one by one, then forced"
	begin 3,5
	mdadm --quiet "/dev/$MD" --fail "${DEVS[1]}"
	settle
	others 1
	crash_writing 2
	for dev in "${OTHERS[@]:0:3}"; do mdadm --incremental --quiet "$dev"; done
	mark_log
	refused mdadm --incremental --run "${OTHERS[3]}"
	assert_match "$REFUSAL" '--assemble --force starts it' "mdadm's message"
	DOUBT=$(doubt)
	stop_par

	for dev in "${OTHERS[@]:0:3}"; do mdadm --incremental --quiet "$dev"; done
	mdadm --assemble --quiet --force "/dev/$MD" "${OTHERS[3]}"
	settle
	compare_places 2
	end_par
}

# With --force, a member that has missed writes is used in place of a lost one. The kernel log names
# the ranges that it has missed.
stale_in_place_of_lost() {
	local layout=$1 stale=$2
	shift 2
	note "$layout: member $stale has left, then $* are lost"
	begin "$layout"
	take_out "$stale"
	dd if=/dev/urandom of="/dev/$MD" bs=1M count=1 seek=$((2 * MIB_APART)) oflag=direct \
		conv=fsync,notrunc status=none
	stop_par
	others "$@"
	refused mdadm --assemble --run "/dev/$MD" "${OTHERS[@]}"
	assert_match "$REFUSAL" 'Not enough devices' "mdadm's message"
	mark_log
	mdadm --assemble --quiet --force --run "/dev/$MD" "${OTHERS[@]}"
	DOUBT=$(doubt)
	TOLD=$DOUBT
	assert_match "$(log_since)" "member $stale .* is used by force" "kernel log"
	settle
	compare_places 2

	note "once is enough"
	stop_par
	mark_log
	mdadm --assemble --quiet --run "/dev/$MD" "${OTHERS[@]}"
	assert_eq "$(doubt)" "" "ranges after a stop"
	compare_places_again 2
	whole_again "$@"
	compare_places_again 2
	end_par
}

# The same comparison at a later time, by the ranges of before.
compare_places_again() {
	DOUBT=$TOLD
	compare_places "$1"
}

# Several members fail at once, as if a controller failed for a while: data that was stable then is not lost.
too_many_at_once() {
	local layout=$1 gear=$2
	shift 2
	note "$layout: $* fail at once, while it is written in gear $gear, and come back"
	begin "$layout"
	shift_to "$gear"
	write_place 4
	echo "7 ${*/#/spin}" >"$SPINDLES/cut"
	wait "$!" || true
	stop_par
	echo all >"$SPINDLES/restore"
	refused mdadm --assemble --run "/dev/$MD" "${DEVS[@]}"
	mark_log
	mdadm --assemble --quiet --force --run "/dev/$MD" "${DEVS[@]}"
	DOUBT=$(doubt)
	settle
	compare_places 4
	end_par
}

# A member that left during its rebuild cannot be used.
never_whole() {
	local sum
	note "a stale member that has never been whole in its place"
	begin 3,5
	take_out 1
	fill 4
	mdadm --quiet --zero-superblock "${DEVS[1]}"
	echo 1000 >"/sys/block/$MD/md/sync_speed_max"
	mdadm --quiet "/dev/$MD" --add "${DEVS[1]}"
	wait_for "/sys/block/$MD/md/sync_action" recover
	take_out 1
	echo system >"/sys/block/$MD/md/sync_speed_max"
	fill 4
	sum=$(fingerprint 8)
	stop_par
	others 3
	refused mdadm --assemble --force "/dev/$MD" "${OTHERS[@]}"
	clean_superblocks "${OTHERS[@]}"
	others 1
	mdadm --assemble --quiet --run "/dev/$MD" "${OTHERS[@]}"
	assert_eq "$(fingerprint 8)" "$sum" "content without it"
	whole_again 1
	assert_eq "$(fingerprint 8)" "$sum" "content with it"
	end_par
}

stale_in_place_of_lost 3,5 4 0
stale_in_place_of_lost raid6:4,8 5 1 6
too_many_at_once 3,5 3 0 2
too_many_at_once raid6:4,8 8 0 5 6
never_whole
crash_degraded 3,5 1
crash_degraded raid6:4,8 2 6
crash_then_lose 3,5 3 1
forced_after_incremental
lose_resyncing
if [ -n "${RAIDPAR_WHOLE:-}" ]; then
	stale_in_place_of_lost 3,5 1 3
	too_many_at_once 3,5 5 1 3
	crash_then_lose 3,5 5 4
fi
