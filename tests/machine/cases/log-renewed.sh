#!/bin/bash
# After a start by force without records that could not be read, the summary of their unit does not count any more, though it can be read again: other records are there.
# machine: --debug --mem 1G
. "$(dirname "$0")/../tools/log.sh"

# write_128k BLOCK COUNT: COUNT requests of 128 KiB from block BLOCK on, all of which go into the log.
write_128k() {
	dd if=/dev/urandom of="$TWIN.part" bs=128k count="$2" status=none
	dd if="$TWIN.part" of="/dev/$MD" bs=128k seek=$(($1 * 4096)) oflag=direct,seek_bytes conv=notrunc status=none
	dd if="$TWIN.part" of="$TWIN" bs=4k seek="$1" conv=notrunc status=none
	sync -d "/dev/$MD"
}

on_log 3,5 12
# Units 0 to 5, of the first run, get summaries.
write_128k 0 25
stop_par

note "unit 2 cannot be read on the two members that have it, nor its summary on any"
deafen_log 1 128 128
deafen_log 2 128 128
for d in 0 1 2; do deafen_log "$d" $((LOG_LENGTH / 8 - 36 + 2)); done
mark_log
refused assemble_par
logged 'the log is damaged'
auto_read_only mdadm --assemble --quiet --force "/dev/$MD" "${DEVS[@]}"
dd if="/dev/$MD" of="$TWIN" bs=1M count=8 iflag=direct status=none
# A start by force shifts up, so units 0 and 1 would be drained as soon as the array is writable.
for d in 0 1 2; do cut_off_log "$d" 0 128; done
cut_off_log 0 128 128
# Unit 2 and a part of unit 3, of another run.
write_128k 1500 1
shift_to 3
write_128k 1024 5
assert_le $((5 * 131072)) "$(par logged)" "bytes of the other run"
assert_le $((3 * 524288)) "$(par log_used)" "bytes in use"
power_cut 1
mend_disks

note "the summary of unit 2 can be read, and the end of what was flushed is stored behind it"
assemble_par
same "after the cut"
write_128k 1536 1
crash 2
same "after another cut"
end_dissected
