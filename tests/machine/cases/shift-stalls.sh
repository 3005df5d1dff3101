#!/bin/bash
# Beside 200 small writes a second, anywhere, a shift down holds none of them for a second, and says how long it does.
# subject: shift
# machine: --time-travel
. "$(dirname "$0")/../tools/par.sh"

# write_on: such writes, until $MACHINE_TMP/end exists; then print the longest time of one in ms.
write_on() {
	python3 -c '
import mmap, os, random, sys, threading, time
to = os.open(sys.argv[1], os.O_RDWR | os.O_DIRECT)
blocks, times = os.lseek(to, 0, os.SEEK_END) // 4096, []
def writes(seed):
    draw, block, due = random.Random(seed), mmap.mmap(-1, 4096), time.monotonic()
    while not os.path.exists(sys.argv[2]):
        due += draw.expovariate(200 / 16)
        time.sleep(max(0, due - time.monotonic()))
        began = time.monotonic()
        os.pwrite(to, block, draw.randrange(blocks) * 4096)
        times.append(time.monotonic() - began)
threads = [threading.Thread(target=writes, args=(i,)) for i in range(16)]
for thread in threads: thread.start()
for thread in threads: thread.join()
print(int(max(times) * 1000))' "/dev/$MD" "$MACHINE_TMP/end" >"$MACHINE_TMP/longest"
}

mkspindles 5 1G preset=nearline seed=3
LOG=$((8 * 2048)) create_shared 10 3,5 --chunk=64
fill_all
shift_to 3
shift_to 5
nap 40
write_on &
nap 10
echo 3 >"/sys/block/$MD/md/par/gear"
wait_for "/sys/block/$MD/md/par/gear" 3 300
held=$(par shift_last_hold_ms)
touch "$MACHINE_TMP/end"
wait
longest=$(<"$MACHINE_TMP/longest")
note "the longest write took $longest ms; shift_last_hold_ms $held, shift_last_ms $(par shift_last_ms)"
assert_le "$longest" 1000 "ms of a write"
assert_le "$((longest / 2))" "$held" "shift_last_hold_ms, at least half of what a write took"
end_par
