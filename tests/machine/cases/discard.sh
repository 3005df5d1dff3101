#!/bin/bash
# A discard returns rows and images, and the range reads as zeros; the data next to a partial discard is kept.
# subject: data
# RAIDPAR_WHOLE=1: another layout.
. "$(dirname "$0")/../tools/par.sh"

segments() { echo "$(par segments_both) $(par segments_home) $(par segments_image)"; }

zeros() { cmp -n "$2" -i "$1":0 "/dev/$MD" /dev/zero || fail "$LAYOUT: $2 bytes at $1 are not zeros"; }

# The gear sets keep no rows either, except the last stripe of each, which the images share
# with other data.
check_given_back() {
	local text number
	text=$(dissect)
	note "after the discard: $text"
	while read -r number _; do
		assert_le "$number" 1 "$LAYOUT: rows left after discarding all: $text"
	done < <(grep -oE '[0-9]+ rows' <<<"$text")
}

# A discard returns all rows: the next fill must start every row again.
discard_all() {
	local gear=$1
	fill "$(array_mib)"
	shift_to "$gear"
	assert_ne "$(par rows_written)" 0 "rows written"
	blkdiscard "/dev/$MD"
	settle
	zeros 0 "$(array_bytes)"
	assert_eq "$(par rows_written)" 0 "$LAYOUT: rows after discarding all in gear $gear"
	assert_eq "$(segments)" "0 0 0" "$LAYOUT: segments after discarding all in gear $gear"
	stop_par
	check_given_back
	assemble_par
}

read_eight() { dd if="/dev/$MD" of="$1" bs=1M count=8 iflag=direct status=none; }

# Discard a range with unaligned ends, in the present gear. The data next to it is kept.
discard_part() {
	local from=1050112 to=$(((8 << 20) - 2000384))
	fill 8
	read_eight "$MACHINE_TMP/before"
	blkdiscard -o $from -l $((to - from)) "/dev/$MD"
	read_eight "$MACHINE_TMP/after"
	cmp -n $from "$MACHINE_TMP/before" "$MACHINE_TMP/after" || fail "$LAYOUT: before the discard"
	cmp -i $to "$MACHINE_TMP/before" "$MACHINE_TMP/after" || fail "$LAYOUT: after the discard"
	zeros $((3 << 20)) $((2 << 20))
}

work() {
	local gear sum
	for gear in "$(top_gear "$LAYOUT")" "$(low_gear "$LAYOUT")"; do
		discard_all "$gear"
		watch_sleepers
		discard_part
		assert_asleep "discards in gear $gear"
		sum=$(fingerprint)
		reassemble_par
		assert_eq "$(fingerprint)" "$sum" "content after assembly in gear $gear"
		shift_to "$(top_gear "$LAYOUT")"
		assert_eq "$(fingerprint)" "$sum" "content in the top gear"
	done
	stop_par
	dissect
	assemble_par
}

# What 3,8 has is in 3,5, and in raid6:4,8 with as many members.
[ -n "${RAIDPAR_WHOLE:-}" ] || LAYOUTS=('3,5' '3,5,8' 'raid6:4,8' 'raid0:2,5')
for layout in "${LAYOUTS[@]}"; do with_par "$layout" 16M work --chunk=64; done
