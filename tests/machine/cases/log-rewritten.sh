#!/bin/bash
# A block of the log that is written again while its bad sectors are read is not called lost.
# machine: --debug --time-travel
. "$(dirname "$0")/../tools/log.sh"

losses() { log_since | grep -c 'are lost: no copy in the log can be read' || true; }

on_log 3,5 8
# One record, in unit 0, on members 0 and 1.
write_blocks 100 12
sync -d "/dev/$MD"
for d in 0 1; do deafen_log "$d" 0 13; done
slow_disks 200000 0 1
mark_log
# The log is drained when it has been idle for a minute. The blocks are read one after the other, and are lost one by one.
wait_for "$PAR/log_lost" '[1-9]*'
assert_le "$(losses)" 3 "blocks that are lost when the last one is written again"
write_blocks 111
slow_disks 0
wait_for "$PAR/log_lost" $((11 * 4096)) 60
nap 20
assert_eq "$(losses)" 11 "messages of lost blocks"
assert_eq "$(par log_lost)" $((11 * 4096)) "bytes that are lost"
read_blocks 111 || fail "the block that was written again cannot be read"
stop_par
