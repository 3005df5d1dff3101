#!/bin/bash
# An array that has been made read-only while its log was being drained is clean, and stays it.
# subject: log
# machine: --debug --mem 1G
# timeout: 200
# rare: yes
set -euo pipefail
. "$(dirname "$0")/../tools/par.sh"
. "$(dirname "$0")/../tools/log.sh"

# flags: of the newest superblock of member 1: 1 is clean.
flags() {
	dd if="${DEVS[1]}" bs=4k skip=$(($(data_offset "${DEVS[1]}") / 8)) count=2 iflag=direct \
		status=none | python3 -c '
import struct, sys
raw = sys.stdin.buffer.read()
print(max((struct.unpack_from("<Q", raw, at + 72)[0], struct.unpack_from("<I", raw, at + 140)[0])
          for at in (0, 4096))[1])'
}

# scatter COUNT: so many blocks behind the file's, none near another, which takes long to drain.
scatter() {
	python3 -c '
import mmap, os, random, sys
to = os.open(sys.argv[1], os.O_RDWR | os.O_DIRECT)
block = mmap.mmap(-1, 4096)
block.write(os.urandom(4096))
count, left = int(sys.argv[2]), os.lseek(to, 0, os.SEEK_END) // 4096 - 2048
random.seed(1)
for i in random.sample(range(count), count):
    os.pwrite(to, block, (2048 + i * (left // count)) * 4096)' "/dev/$MD" "$1"
}

mkspindles 5 256M preset=nearline seed=1
create_logged 3,5 8 --chunk=64
fill_twin
shift_to 3
scatter 600
echo 5 >"/sys/block/$MD/md/par/gear"
wait_for "/sys/block/$MD/md/par/gear" 5 60
mdadm --quiet --readonly "/dev/$MD"
[ "$(par log_live)" -gt 0 ] || fail "all was drained before the array was read-only"
get metadata_writes
before=$GOT
sleep 2
get metadata_writes
assert_eq "$GOT" "$before" "blocks of metadata of a read-only array"
assert_eq "$(flags)" 1 "flags of the superblock"
same "read-only"
mdadm --quiet --readwrite "/dev/$MD"
wait_for "/sys/block/$MD/md/par/log_used" 0 120
same "drained"
stop_par
