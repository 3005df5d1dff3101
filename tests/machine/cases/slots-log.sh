#!/bin/bash
# In an array with images of a share and a log, whole stripes go to the log where they would wake members, past it elsewhere.
# subject: slots
# machine: --debug --mem 1G
# timeout: 200
set -euo pipefail
. "$(dirname "$0")/../tools/par.sh"

LOG=$((8 * 2048))	# sectors, on each member

# logs KIB WHAT OFFSET SIZE: so much of a write of SIZE from OFFSET on, both in KiB, goes to the log; nothing wakes for it,
# nor for reading it.
logs() {
	local before
	before=$(par logged)
	watch_sleepers
	dd if=/dev/urandom of="$MACHINE_TMP/part" bs="${4}k" count=1 iflag=fullblock status=none
	dd if="$MACHINE_TMP/part" of="/dev/$MD" bs="${4}k" oflag=direct,seek_bytes seek="$(($3 * 1024))" status=none
	assert_eq "$((($(par logged) - before) / 1024))" "$1" "$LAYOUT: KiB of $2 in the log"
	dd if="/dev/$MD" of="$MACHINE_TMP/read" bs="${4}k" count=1 iflag=direct,skip_bytes skip="$(($3 * 1024))" status=none
	cmp "$MACHINE_TMP/part" "$MACHINE_TMP/read" || fail "$LAYOUT: content of $2"
	dd if="$MACHINE_TMP/part" of="$MACHINE_TMP/twin" bs="${4}k" oflag=seek_bytes seek="$(($3 * 1024))" \
		conv=notrunc status=none
	WRITTEN+=("$3 $4")
	assert_asleep "$2"
	assert_eq "$(par gear)" "$(low_gear "$LAYOUT")" "$LAYOUT: gear after $2"
	assert_eq "$(par slot_misses)" 0 "$LAYOUT: misses of $2"
}

# logged_stripes MIB STRIPE: stripes of STRIPE KiB of an array of which MIB are written.
logged_stripes() {
	local end=$(($1 * 1024 / $2 * $2 - 4 * $2)) unwritten=$((($1 * 1024 / $2 + 64) * $2))
	logs 0 "a stripe with images" $((4 * $2)) "$2"
	logs "$2" "a stripe without images" "$end" "$2"
	logs "$2" "a new stripe without a slot" "$unwritten" "$2"
}

# compare_written: all that logs() has written is in the array.
compare_written() {
	local at size written
	for written in "${WRITTEN[@]}"; do
		read -r at size <<<"$written"
		cmp <(dd if="/dev/$MD" bs="${size}k" count=1 iflag=direct,skip_bytes skip=$((at * 1024)) status=none) \
			<(dd if="$MACHINE_TMP/twin" bs="${size}k" count=1 iflag=skip_bytes skip=$((at * 1024)) status=none) ||
			fail "$LAYOUT: content of ${size}k at ${at}k in the top gear"
	done
}

# shared LAYOUT FUNCTION SIZE: of the stripes, in KiB.
shared() {
	local data=80	# more than the slots have room for
	note "$1"
	mkspindles 5 128M seed=3
	create_shared 10 "$1" --chunk=64
	fill "$data"
	fingerprint 4 >/dev/null	# a use: these runs get slots
	WRITTEN=()
	shift_to "$(low_gear "$1")"
	"$2" "$data" "$3"
	shift_to 5
	wait_for "/sys/block/$MD/md/par/log_used" 0 120
	compare_written
	no_mismatch
	stop_par
	rmdisks
	rm "$MACHINE_TMP/twin"
}

shared 3,5 logged_stripes 256
