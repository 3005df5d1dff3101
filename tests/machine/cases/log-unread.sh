#!/bin/bash
# A record that a start could not read is not replayed by a later start that can read it.
# subject: log
# machine: --debug --mem 1G
# timeout: 200
set -euo pipefail
. "$(dirname "$0")/../tools/par.sh"
. "$(dirname "$0")/../tools/log.sh"

# put_block: write random content to the block at 1 MiB, and to a file.
put_block() {
	head -c 4096 /dev/urandom >"$MACHINE_TMP/block"
	dd if="$MACHINE_TMP/block" of="/dev/$MD" bs=4k seek=256 oflag=direct status=none
}

mkspindles 5 64M
create_logged 3,5 8 --chunk=64
fill_twin
shift_to 3
# The first record is on members 0 and 1. If it was in the cache of one of them, a cut could lose it there.
put_block
[ "$(par log_live)" -gt 0 ] || fail "nothing is logged"
sync -d "/dev/$MD"
power_cut 1
find_log
wipe_log 1 0
deafen_log 0 0 2
mark_log
assemble_par
# The other copy shows that the record has not been flushed.
not_logged 'flushed last may be lost'
assert_eq "$(par log_replayed)" 0 "records, none of which can be read"
shift_to 5
put_block
dd if="$MACHINE_TMP/block" of="$TWIN" bs=4k seek=256 conv=notrunc status=none
sync -d "/dev/$MD"
same "written past the log"
mend_disks
reassemble_par
assert_eq "$(par log_replayed)" 0 "records, though nothing was logged"
same "the first record can be read"
stop_par
