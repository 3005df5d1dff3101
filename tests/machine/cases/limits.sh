#!/bin/bash
# A write of 1 MiB is one request if it begins with a block of 4 KiB, else two; a secure erase, which has no data, is refused.
# subject: data
# timeout: 120
set -euo pipefail
. "$(dirname "$0")/../tools/par.sh"

# writes: the number of those to the array so far
writes() { local stat; read -r -a stat <"/sys/block/$MD/stat"; echo "${stat[4]}"; }

dd if=/dev/urandom of="$MACHINE_TMP/data" bs=1M count=1 status=none
# The disks have blocks of 512 bytes.
mkspindles 5 64M
create_par 3,5 --chunk=64
shift_to 3
for at in 0 8 1000 1001 4095; do
	BEFORE=$(writes)
	dd if="$MACHINE_TMP/data" of="/dev/$MD" bs=1M oflag=direct,seek_bytes seek=$((at * 512)) conv=notrunc status=none
	assert_eq $(($(writes) - BEFORE)) $((at % 8 ? 2 : 1)) "requests for a write of 1 MiB at sector $at"
	dd if="/dev/$MD" bs=1M count=1 iflag=direct,skip_bytes skip=$((at * 512)) status=none | cmp - "$MACHINE_TMP/data"
done
refused blkdiscard --secure "/dev/$MD"
assert_match "$REFUSAL" 'not supported' "blkdiscard --secure"
stop_par
rmdisks
