#!/bin/bash
# A record that a start could not read, or that only a missing member had, is not replayed by a later start that can read it, and does not stop the healing.
. "$(dirname "$0")/../tools/log.sh"

# put_block: write random content to the block at 1 MiB. put_block_past: the same past the log, and to the file.
put_block() {
	head -c 4096 /dev/urandom >"$MACHINE_TMP/block"
	dd if="$MACHINE_TMP/block" of="/dev/$MD" bs=4k seek=256 oflag=direct status=none
}
put_block_past() {
	put_block
	dd if="$MACHINE_TMP/block" of="$TWIN" bs=4k seek=256 conv=notrunc status=none
	sync -d "/dev/$MD"
	same "written past the log"
}

# one_record: the array has crashed with its first record on member 0 only. If it was in the cache of a member, a cut could
# lose it there.
one_record() {
	on_log 3,5 8 64M seed=1
	put_block
	[ "$(par log_live)" -gt 0 ] || fail "nothing is logged"
	sync -d "/dev/$MD"
	power_cut 1
	wipe_log 1 0
}

note "the member that has it is missing, and returns"
one_record
start_without 0
assert_eq "$(par log_replayed)" 0 "records without member 0"
same "without member 0"
put_block_past
put_in 0
settle
# From now on the member's part of the log is used again.
shift_to 3
sync -d "/dev/$MD"
reassemble_par
assert_eq "$(par log_replayed)" 0 "records, though nothing was logged"
same "member 0 is back"
# A record of now is replayed.
write_some 1 50
flushed_crash 2
[ "$(par log_replayed)" -gt 0 ] || fail "nothing is replayed"
same "after a cut"
end_par

note "its copy cannot be read"
one_record
deafen_log 0 0 2
# The unit is not read as a whole from the other copy either, but its end is.
deafen_log 1 100 1
mark_log
assemble_par
# The other copy shows that the record has not been flushed.
not_logged 'flushed last may be lost'
assert_eq "$(par log_replayed)" 0 "records, none of which can be read"
shift_to 5
put_block_past
mend_disks
reassemble_par
assert_eq "$(par log_replayed)" 0 "records, though nothing was logged"
same "the first record can be read"
end_par

note "the end of the log can be read again when an earlier record is healed"
on_log 3,5 8
put_block
dd if="$MACHINE_TMP/block" of="$TWIN" bs=4k seek=256 conv=notrunc status=none
put_block
sync -d "/dev/$MD"
power_cut 1
wipe_log 1 0 2
for d in 0 1; do deafen_log "$d" 2 2; done
mark_log
auto_read_only assemble_par
assert_eq "$(par log_replayed)" 1 "records, the second of which cannot be read"
logged 'the log ends at block 2, of which no copy can be read: a write that was flushed last may be lost'
mend_disks
mark_log
write_blocks 100
wait_for "/sys/block/$MD/md/par/log_state" records 30
not_logged 'some records of the log cannot be read'
crash 2
same "healed, written and cut"
stop_par
