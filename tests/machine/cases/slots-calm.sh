#!/bin/bash
# While a read waits for members to start, nothing makes the array quiet, though zones become idle: no read of data in use waits.
# subject: slots
# machine: --debug --time-travel
set -euo pipefail
. "$(dirname "$0")/../tools/power.sh"

stripe() { dd "$@" bs=256k count=1 conv=notrunc status=none; }

mkspindles 5 64M preset=nas
create_shared 10 3,5 --chunk=64
dd if=/dev/zero of="/dev/$MD" bs=1M count=150 oflag=direct status=none
settle
stripe if="/dev/$MD" of=/dev/null iflag=direct
shift_to 3
wait_asleep
for d in 3 4; do set_disk $d spin_up_ms 110000; done

# An intent, which is cleared when its zone has been idle for 30 s.
stripe if=/dev/zero of="/dev/$MD" oflag=direct
stripe if="/dev/$MD" of=/dev/null iflag=direct skip=500 &
wait_for "/sys/block/$MD/md/par/shift_target" 5
slowest=$(python3 -c '
import mmap, os, sys, time
fd, block, slowest, end = os.open(sys.argv[1], os.O_RDONLY | os.O_DIRECT), mmap.mmap(-1, 4096), 0, time.monotonic() + 100
while time.monotonic() < end:
    began = time.monotonic()
    os.preadv(fd, [block], int(began * 7) % 64 * 4096)
    slowest = max(slowest, time.monotonic() - began)
    time.sleep(0.1)
print(round(slowest * 1000))' "/dev/$MD")
assert_le "$slowest" 1000 "ms of the slowest read of data in use"
assert_eq "$(par gear)" 3 "gear meanwhile"
wait
assert_eq "$(par gear)" 5 "gear after the miss"
stop_par
