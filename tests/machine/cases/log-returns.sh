#!/bin/bash
# A record that a cut has left on one member is not replayed when that member, which was missing meanwhile, returns.
# machine: --debug --mem 1G
. "$(dirname "$0")/../tools/log.sh"

# put_block: write random content to the block at 1 MiB, and to a file.
put_block() {
	head -c 4096 /dev/urandom >"$MACHINE_TMP/block"
	dd if="$MACHINE_TMP/block" of="/dev/$MD" bs=4k seek=256 oflag=direct status=none
}

on_log 3,5 8 64M seed=1
sync -d "/dev/$MD"
# The first record is on members 0 and 1. If it was in the cache of one of them, a cut could lose it there.
put_block
[ "$(par log_live)" -gt 0 ] || fail "nothing is logged"
sync -d "/dev/$MD"
power_cut 1
wipe_log 1 0
mdadm --assemble --quiet --run "/dev/$MD" "${DEVS[@]:1}"
assert_eq "$(par log_replayed)" 0 "records without member 0"
same "without member 0"
put_block
dd if="$MACHINE_TMP/block" of="$TWIN" bs=4k seek=256 conv=notrunc status=none
sync -d "/dev/$MD"
same "written past the log"
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
stop_par
