#!/bin/bash
# A log that is used again after the array was read-only is known to be flushed when the array stops: without its last record the array is refused.
. "$(dirname "$0")/../tools/log.sh"

# flushed_block BLOCK: write and flush it. Its record is two blocks of unit 0 of the log, which is on members 0 and 1; without
# parity on member 0 only.
flushed_block() {
	write_blocks "$1"
	sync -d "/dev/$MD"
}

# used_again LAYOUT
used_again() {
	local d
	note "$1"
	mkspindles 5 64M
	create_logged "$1" 8 --chunk=64
	fill_twin
	shift_to "$(low_gear "$1")"
	find_log
	flushed_block 100
	mdadm --quiet --readonly "/dev/$MD"
	mdadm --quiet --readwrite "/dev/$MD"
	flushed_block 200
	assert_eq "$(par log_live)" 8192 "bytes that are live in the log"
	stop_par
	for d in 0 1; do
		dd if="${DEVS[d]}" of="$MACHINE_TMP/record$d" bs=512 skip="$((LOG_AT + 16))" count=16 iflag=direct status=none
		wipe_log "$d" 2 2
	done
	mark_log
	! assemble_par 2>/dev/null || fail "$1: a log without its last record is started"
	logged 'the log is damaged'
	# With the record, nothing is missing.
	for d in 0 1; do
		dd if="$MACHINE_TMP/record$d" of="${DEVS[d]}" bs=512 seek="$((LOG_AT + 16))" oflag=direct conv=notrunc \
			status=none
	done
	assemble_par
	same "with its last record"
	end_par
}

used_again raid0:2,5
used_again 3,5
