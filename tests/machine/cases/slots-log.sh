#!/bin/bash
# In an array with images of a share and a log, whole stripes go to the log where they would wake members, past it elsewhere.
. "$(dirname "$0")/../tools/par.sh"

LOG=$((8 * 2048))	# sectors, on each member
CHUNK=64	# KiB; a run is 1 MiB of each member

# log_write WHAT OFFSET SIZE: write SIZE from OFFSET on, both in KiB. LOGGED: the KiB of it that went to the log. Nothing
# wakes for it, nor for reading it.
log_write() {
	local before
	before=$(par logged)
	watch_sleepers
	dd if=/dev/urandom of="$MACHINE_TMP/part" bs="${3}k" count=1 iflag=fullblock status=none
	dd if="$MACHINE_TMP/part" of="/dev/$MD" bs="${3}k" oflag=direct,seek_bytes seek="$(($2 * 1024))" status=none
	LOGGED=$((($(par logged) - before) / 1024))
	dd if="/dev/$MD" of="$MACHINE_TMP/read" bs="${3}k" count=1 iflag=direct,skip_bytes skip="$(($2 * 1024))" status=none
	cmp "$MACHINE_TMP/part" "$MACHINE_TMP/read" || fail "$LAYOUT: content of $1"
	dd if="$MACHINE_TMP/part" of="$MACHINE_TMP/twin" bs="${3}k" oflag=seek_bytes seek="$(($2 * 1024))" \
		conv=notrunc status=none
	WRITTEN+=("$2 $3")
	assert_asleep "$1"
	assert_eq "$(par gear)" "$(low_gear "$LAYOUT")" "$LAYOUT: gear after $1"
	assert_eq "$(par slot_misses)" 0 "$LAYOUT: misses of $1"
}

# logs KIB WHAT OFFSET SIZE: so much of the write goes to the log.
logs() {
	log_write "$2" "$3" "$4"
	assert_eq "$LOGGED" "$1" "$LAYOUT: KiB of $2 in the log"
}

# logged_stripes MIB STRIPE: stripes of STRIPE KiB of an array of which MIB are written. The fingerprint has given slots to
# the first run. Which other runs have slots is not known: reads by which raid5 computes parity are uses, too.
logged_stripes() {
	local unwritten=$((($1 * 1024 / $2 + 64) * $2)) run=$(($2 * 1024 / CHUNK)) at runs=0 stripes=0
	logs 0 "a stripe with images" $((4 * $2)) "$2"
	for ((at = run; at + run <= $1 * 1024; at += run)); do
		log_write "a stripe of run $((++runs))" "$at" "$2"
		case $LOGGED in
		0) ;;
		"$2") stripes=$((stripes + 1)) ;;
		*) fail "$LAYOUT: $LOGGED KiB of a stripe of run $runs in the log" ;;
		esac
	done
	[ "$runs" -ge "$(par slots)" ] || fail "$LAYOUT: $(par slots) slots for $((runs + 1)) runs: write more"
	[ "$stripes" -gt "$((runs - $(par slots)))" ] ||
		fail "$LAYOUT: stripes of $stripes of $runs runs in the log, with $(par slots) slots in all"
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
	create_shared 10 "$1" --chunk="$CHUNK"
	fill "$data"
	fingerprint 4 >/dev/null	# a use: these runs get slots
	WRITTEN=()
	shift_to "$(low_gear "$1")"
	"$2" "$data" "$3"
	shift_to 5
	wait_for "/sys/block/$MD/md/par/log_used" 0 120
	compare_written
	no_mismatch
	end_par
	rm "$MACHINE_TMP/twin"
}

shared 3,5 logged_stripes $((4 * CHUNK))
