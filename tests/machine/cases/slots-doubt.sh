#!/bin/bash
# With images of a share, a start without a member names the ranges in doubt in at most 32 lines of the kernel log, however many slots they are in.
# timeout: 500
# plain: yes
. "$(dirname "$0")/../tools/par.sh"

PLACES=150	# of different runs, with a run between any two: a run has 4 MiB of the array
MIB_APART=16

put_place() { put 64k $(($1 * MIB_APART * 16)) 1; }

# doubts: set RANGES to the ranges in doubt in the kernel log since the mark.
doubts() {
	RANGES=$(log_since | sed -n 's/.*in doubt: array sectors \([0-9]*\) to \([0-9]*\)$/\1 \2/p')
	LINES_OF=$(wc -l <<<"$RANGES")
}

in_doubt() {
	local at=$(($1 * MIB_APART * 2048)) first last
	while read -r first last; do
		[ "$last" -lt "$at" ] || [ "$first" -ge $((at + 128)) ] || return 0
	done <<<"$RANGES"
	return 1
}

few_lines() {
	doubts
	note "$1: $LINES_OF lines"
	[ "$LINES_OF" -le 32 ] || fail "$1: $LINES_OF lines"
	logged 'about [0-9]+ places are in doubt: those close together are named as one range'
	in_doubt 0 || fail "$1: the first place was being written, and is not in doubt: $RANGES"
	in_doubt $((PLACES - 1)) || fail "$1: the last place was being written, and is not in doubt: $RANGES"
	COUNT=$(log_since | sed -n 's/.*about \([0-9]*\) places are in doubt.*/\1/p')
	[ "$COUNT" -gt 32 ] || fail "$1: only $COUNT places"
}

mkspindles 5 1G seed=7
create_shared 25 3,5 --chunk=64
truncate -s "$(array_bytes)" "$MODEL"
for ((PLACE = 0; PLACE < PLACES; PLACE++)); do put_place "$PLACE"; done
shift_to 3
reassemble_par	# no intent is left
put_place 0
put_place $((PLACES - 1))
power_cut 5

mark_log
refused mdadm --assemble --run "/dev/$MD" "${DEVS[@]:1}"
logged 'lacks a member; --force starts it'
few_lines refused
TOLD=$RANGES
mark_log
mdadm --assemble --quiet --force "/dev/$MD" "${DEVS[@]:1}"
few_lines forced
assert_eq "$RANGES" "$TOLD" "the same ranges"
CERTAIN=0
for ((PLACE = 0; PLACE < PLACES; PLACE++)); do
	! in_doubt "$PLACE" || continue
	cmp <(dd if="/dev/$MD" bs=64k count=1 skip=$((PLACE * MIB_APART * 16)) iflag=direct status=none) \
		<(dd if="$MODEL" bs=64k count=1 skip=$((PLACE * MIB_APART * 16)) status=none) ||
		fail "place $PLACE differs, and is not in doubt"
	CERTAIN=$((CERTAIN + 1))
done
note "$CERTAIN of $PLACES places are not in doubt"
[ "$CERTAIN" -gt 0 ] || fail "all places are in doubt"
settle
stop_par
