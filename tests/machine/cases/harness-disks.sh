#!/bin/bash
# The library's disks hold data, count requests, can be huge, and can be removed.
# machine: --mem 2G
set -euo pipefail
. "$(dirname "$0")/../lib.sh"

mkdisks 2 64M blocksize=4096 cache_size=4
mkdisks 5 16T
assert_eq "${#DEVS[@]}" 7 "number of disks"
assert_eq "$(blockdev --getsize64 "${DEVS[6]}")" $((16 << 40)) "size of a huge disk"
assert_eq "$(blockdev --getss "${DEVS[0]}")" 4096 "sector size"
assert_eq "$(cat "/sys/block/${DISKS[0]}/queue/write_cache")" "write back" "cache"

# The tests determine "no request" by the block layer's counters.
before=$(requests "${DISKS[6]}")
idle=$(requests "${DISKS[5]}")
dd if=/dev/urandom of="$TMPDIR/data" bs=1M count=4 status=none
dd if="$TMPDIR/data" of="${DEVS[6]}" bs=64k seek=$((1 << 27)) oflag=direct status=none
assert_eq $(($(requests "${DISKS[6]}") - before)) 64 "requests counted for 64 writes"
blkdiscard -o 0 -l 1M "${DEVS[6]}"
assert_le 65 $(($(requests "${DISKS[6]}") - before)) "requests with a discard"
assert_eq "$(requests "${DISKS[5]}")" "$idle" "requests to an idle disk"
dd if="${DEVS[6]}" bs=64k skip=$((1 << 27)) count=64 iflag=direct status=none | cmp - "$TMPDIR/data"

refused false
wait_for "/sys/block/${DISKS[0]}/size" '131072' 1
rmdisks
[ ! -b /dev/nullb0 ] || fail "a disk is still there"
