#!/bin/bash
# Many writers that fill the log are slowed down while the sleepers start, and are not stopped.
# subject: log
# machine: --debug --time-travel
# timeout: 250
set -euo pipefail
. "$(dirname "$0")/../tools/power.sh"

# burst SECONDS BLOCKS: 32 writers write these blocks at random; print how many were written, and the longest time in ms.
burst() {
	python3 -c '
import mmap, os, random, sys, threading, time
fd = os.open(sys.argv[1], os.O_RDWR | os.O_DIRECT)
end, times = time.monotonic() + int(sys.argv[2]), []
def write(seed):
    block, rnd = mmap.mmap(-1, 4096), random.Random(seed)
    while time.monotonic() < end:
        at = time.monotonic()
        os.pwrite(fd, block, 4096 * rnd.randrange(int(sys.argv[3])))
        times.append(time.monotonic() - at)
writers = [threading.Thread(target=write, args=(i,)) for i in range(32)]
for writer in writers:
    writer.start()
for writer in writers:
    writer.join()
print(len(times), int(max(times) * 1000))' "/dev/$MD" "$@"
}

mkspindles 5 128M preset=nas seed=5
LOG=$((16 * 2048)) create_shared 10 3,5 --chunk=64
fill_all
shift_to 3
wait_asleep
read -r written longest < <(burst 20 20000)
note "$written written, $longest ms at most"
assert_eq "$(par gear)" 5 "gear after the burst"
assert_le "$longest" 4000 "ms of a write"
end_par
