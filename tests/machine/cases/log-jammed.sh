#!/bin/bash
# Writes to a full log go on if the sleepers do not start, as long as not nearly all of it is live; then they fail in time.
# subject: log
# machine: --debug --time-travel
# timeout: 200
set -euo pipefail
. "$(dirname "$0")/../tools/par.sh"

# writer WHAT: hot: one block, then 3000 writes of 64 others; full: new blocks until an error. The file "expected" gets the
# number of each.
writer() {
	python3 -c '
import json, mmap, os, sys, time
device, path, what = sys.argv[1:]
fd = os.open(device, os.O_RDWR | os.O_DIRECT)
size = os.lseek(fd, 0, os.SEEK_END) // 4096
expected = json.load(open(path)) if os.path.exists(path) else {}
buffer = mmap.mmap(-1, 32768)
def write(block, count):
    for at in range(block, block + count):
        expected[str(at)] = None        # old or new
    number = write.number = write.number + 1
    for i in range(count):
        buffer[i * 4096:(i + 1) * 4096] = (number * 8 + i).to_bytes(8, "little") * 512
    os.pwrite(fd, memoryview(buffer)[:count * 4096], block * 4096)
    for i in range(count):
        expected[str(block + i)] = number * 8 + i
write.number = 1 << (20 if what == "hot" else 21)
if what == "hot":
    write(size // 2, 1)
    for i in range(3000):
        write(size // 2 + 1600 + 16 * (i % 64), 1)
else:
    try:
        for i in range(1000):
            begun = time.monotonic()
            write(size // 2 + 2800 + 8 * i, 8)
        sys.exit("no write has failed")
    except OSError as error:
        print("write %u: %s after %.0f s" % (i, error, time.monotonic() - begun))
        if i < 80 or time.monotonic() - begun > 60:
            sys.exit("that is too early, or too late")
json.dump(expected, open(path, "w"))' "/dev/$MD" "$MACHINE_TMP/expected" "$1"
}

# in_time WHAT: the same; a write that hangs cannot be killed.
in_time() {
	local i
	writer "$1" &
	for ((i = 0; i < 60; i++)); do
		kill -0 "$!" 2>/dev/null || break
		nap 5
	done
	[ "$i" -lt 60 ] || fail "$1: a write hangs; log_live $(par log_live) of $(par log_size)"
	wait "$!"
}

# verify WHEN
verify() {
	python3 -c '
import json, mmap, os, sys
fd = os.open(sys.argv[1], os.O_RDONLY | os.O_DIRECT)
buffer = mmap.mmap(-1, 4096)
for block, number in json.load(open(sys.argv[2])).items():
    os.preadv(fd, [buffer], int(block) * 4096)
    if number is not None and buffer[:] != number.to_bytes(8, "little") * 512:
        sys.exit("block %s is not %u" % (block, number))' "/dev/$MD" "$MACHINE_TMP/expected" || fail "content $1"
}

stand_by() {
	assert_eq "$(par gear) $(<"/sys/block/$MD/md/degraded")" "3 0" "gear, failed members $1"
	verify "$1"
}

mkspindles 5 64M preset=nas seed=3
LOG=$((4 * 2048)) create_shared 10 3,5 --chunk=64
dd if=/dev/zero of="/dev/$MD" bs=1M count=$(($(array_mib) - 4)) oflag=direct conv=notrunc status=none
settle
reassemble_par
shift_to 3
give_up_soon
for d in spin3 spin4; do echo 18446744073709551615 >"$SPINDLES/$d/fail_starts"; done

in_time hot || fail "writes of a log with little that is live"
[ "$(par logged)" -gt $((2 * $(par log_size))) ] || fail "only $(par logged) bytes have been logged"
stand_by "after writes of a full log"

in_time full || fail "writes of a log that is nearly all live"
stand_by "after a write has failed"

power_cut 5
for d in spin3 spin4; do echo 0 >"$SPINDLES/$d/fail_starts"; done
assemble_par
verify "after a cut"
shift_to 5
wait_for "/sys/block/$MD/md/par/log_used" 0 120
verify "at home"
end_par
