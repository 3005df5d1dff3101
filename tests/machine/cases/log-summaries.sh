#!/bin/bash
# A start that reads the summaries of the log's units finds the same content, after stops and cuts, with any size of the log, and with summaries that are damaged, old, in a wrong place, of another array or unreadable.
# machine: --time-travel
. "$(dirname "$0")/../tools/log.sh"

begin() {
	on_log 3,5 64 256M "seed=$1"
	find_summaries
}

# start_with WHAT UNITS: assemble the array, which finds so many units by their summaries, or, for "some", any number.
start_with() {
	local units
	mark_log
	assemble_par
	units=$(summarized)
	[ "$2" = some ] || assert_eq "$units" "$2" "$1: units that are found by their summaries"
	[ "$2" != some ] || assert_le 1 "$units" "$1: units that are found by their summaries"
	same "$1"
}

# keep NAME, put NAME MEMBER...: copy the summaries of the three members to files, or back.
keep() {
	local d
	log_range "$SUMS" "$UNITS"
	for d in 0 1 2; do
		dd if="${DEVS[d]}" of="$MACHINE_TMP/$1.$d" bs=512 skip="$FIRST" count="$COUNT" iflag=direct status=none
	done
}
put() {
	local d
	log_range "$SUMS" "$UNITS"
	for d in "${@:2}"; do
		dd if="$MACHINE_TMP/$1.$d" of="${DEVS[d]}" bs=512 seek="$FIRST" count="$COUNT" oflag=direct conv=notrunc \
			status=none
	done
}

# change NAME EXPRESSION: files with what Python's expression makes of each block B, with the number N, of the list BLOCKS.
change() {
	local d
	for d in 0 1 2; do
		python3 -c '
import os, random, sys
random.seed(1)
raw = open(sys.argv[1], "rb").read()
blocks = [raw[at:at + 4096] for at in range(0, len(raw), 4096)]
make = eval("lambda blocks, n, b: (" + sys.argv[3] + ")")
open(sys.argv[2], "wb").write(b"".join(make(blocks, n, b) for n, b in enumerate(blocks)))' \
			"$MACHINE_TMP/good.$d" "$MACHINE_TMP/$1.$d" "$2"
	done
}

note "rounds"
begin 1
log_twin
sync -d "/dev/$MD"
stop_par
keep alien
rmdisks
begin 2
for i in 1 2 3 4 5 6; do
	log_twin
	write_some "$i" 60
	sync -d "/dev/$MD"
	if [ $((i % 2)) = 0 ]; then stop_par; else power_cut "$i"; fi
	[ "$i" != 2 ] || keep old
	start_with "round $i" some
	# The tail is within a unit afterwards.
	[ $((i % 3)) != 0 ] || drained
	shift_to 3
	write_some "1$i" 30
done

note "damage"
drained
shift_to 3
log_twin
stop_par
keep early
assemble_par
log_twin
write_some 7 60
stop_par
keep good
start_with "whole" some
units=$(summarized)
assert_le 30 "$units" "units that are found whole"
stop_par
change spoilt '(bytes(4096), os.urandom(4096), b[:40 + n] + bytes([b[40 + n] ^ 1 << n % 8]) + b[41 + n:],
	b[:512] + blocks[n - 1][512:], blocks[n - 1])[n % 5]'
for what in spoilt alien old; do
	put "$what" 1
	start_with "$what on a member" "$units"
	stop_par
	put "$what" 0 1 2
	start_with "$what on all" 0
	stop_par
	put good 0 1 2
done
put early 0 1 2
start_with "those of an earlier time" some
assert_le "$(summarized)" $((units - 10)) "units that are found by early summaries"
stop_par
put good 0 1 2
deafen_log 1 "$SUMS" "$UNITS"
start_with "deaf on a member" "$units"
stop_par
for d in 0 1 2; do deafen_log "$d" "$SUMS" "$UNITS"; done
start_with "deaf on all" 0
assert_le 3 "$(par log_read_errors)" "failed reads"
assert_eq "$(<"/sys/block/$MD/md/degraded")" 0 "members that have failed"
mend_disks
shift_to 3
log_twin
sync -d "/dev/$MD"
power_cut 8
start_with "written again" some

note "sizes"
drained
whole=$(par log_size)
for size in $((whole / 2 - whole / 2 % 524288)) 0 "$whole"; do
	echo "$size" >"$PAR/log_size"
	shift_to 3
	log_twin
	write_some 9 30
	sync -d "/dev/$MD"
	power_cut 9
	case $size in
	0) start_with "off" '' ;;
	*) start_with "$size bytes" some ;;
	esac
	assert_eq "$(par log_size)" "$size" "size after a cut"
	drained
	same "$size bytes, drained"
done
no_mismatch
end_par
