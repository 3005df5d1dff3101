#!/bin/bash
# A read of a record that a disk serves in several requests, and whose first copy has a bad sector, returns the content of the second copy.
. "$(dirname "$0")/../tools/log.sh"

mkspindles 5 64M
create_logged 3,5 8 --chunk=64
# Not earlier: the array takes the limits that its members have at its creation.
for name in "${DISKS[@]}"; do echo 16 >"/sys/block/$name/queue/max_sectors_kb"; done
fill_twin
shift_to 3
dd if=/dev/urandom of="$TWIN.block" bs=240k count=1 iflag=fullblock status=none
dd if="$TWIN.block" of="/dev/$MD" bs=240k seek=1 oflag=direct conv=notrunc,fsync status=none
dd if="$TWIN.block" of="$TWIN" bs=240k seek=1 conv=notrunc status=none
assert_eq "$(par log_live)" $((240 << 10)) "bytes in the log"
# The log begins on members 0 and 1. On one of them no block of it can be read.
find_log
for d in 0 1; do
	deafen_log "$d" 0 128
	for ((i = 0; i < 20; i++)); do same "one copy of two, on the other member than ${DISKS[d]}"; done
	mend_disks
done
assert_eq "$(<"/sys/block/$MD/md/degraded")" 0 "members that have failed of it"
stop_par
