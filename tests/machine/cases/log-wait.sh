#!/bin/bash
# A write that waits for a record goes on when this record is written, a discard does not wait for a later drain, and no write waits for the drain of the whole log if it is full or a member has returned.
# machine: --time-travel
. "$(dirname "$0")/../tools/log.sh"

# put BLOCK: write a block, of 4 KiB.
put() { dd if=/dev/zero of="/dev/$MD" bs=4k count=1 seek="$1" oflag=direct conv=notrunc status=none; }

now() { echo $((${EPOCHREALTIME/[.,]/} / 1000)); }

# Block 1 is drained, and stays in the log because a record behind it is under way. A write of block 1 waits for that.
# The record takes any time: if it is too short, this does not count.
behind_a_record() {
	local slow ended i
	shift_to 3
	put 1
	slow_disks 12000000 0 1
	put 2 &
	slow=$!
	wait_for "/sys/block/${DISKS[0]}/inflight" '*[^0-9]1'
	wait_for "/sys/block/${DISKS[1]}/inflight" '*[^0-9]1'
	slow_disks 0
	shift_to 5
	put 1 &
	for ((i = 0; i < 100; i++)); do
		[[ $(<"/sys/block/$MD/inflight") != *[^0-9]2 ]] || break
		nap 0.02
	done
	nap 1
	kill -0 "$slow" 2>/dev/null || i=100
	wait "$slow"
	ended=$(now)
	wait "$!"
	ended=$(($(now) - ended))
	wait_for "$PAR/log_used" 0 20
	[ "$i" -lt 100 ] || return 0
	note "$ended ms after the record"
	assert_le "$ended" 1500 "ms from the end of the record to that of the write"
	WAITED=$((WAITED + 1))
}

# longest_discard OFFSET SECONDS: discard a stripe again and again; print the longest time, in ms.
longest_discard() {
	python3 -c '
import fcntl, os, struct, sys, time
to, longest, begun = os.open(sys.argv[1], os.O_RDWR), 0, time.monotonic()
while time.monotonic() < begun + int(sys.argv[3]):
    at = time.monotonic()
    fcntl.ioctl(to, 0x1277, struct.pack("=QQ", int(sys.argv[2]), 4 << 16))
    longest = max(longest, time.monotonic() - at)
    time.sleep(0.002)
print(int(longest * 1000))' "/dev/$MD" "$1" "$2"
}

# The log cannot be read, so each drain fails, and is put off for longer than the one before.
while_drains_fail() {
	local d
	shift_to 3
	put 9
	find_log
	for d in 0 1 2; do cut_off_log "$d"; done
	slow_disks 50000 0 1
	shift_to 5
	assert_le "$(longest_discard $((32 << 20)) 20)" 2500 "ms of a discard"
	slow_disks 0
	mend_disks
	wait_for "$PAR/log_used" 0 60
}

# put_many COUNT: write the first blocks, one after the other.
put_many() { dd if=/dev/zero of="/dev/$MD" bs=4k count="$1" oflag=direct conv=notrunc status=none; }

# write_hot SECONDS BLOCKS: 16 writers write the first 600 blocks, each so many at a time, so long at most, or until the log is
# empty. Print the longest time, in ms, and how many were written.
write_hot() {
	python3 -c '
import mmap, os, random, sys, threading, time
to, used = os.open(sys.argv[1], os.O_RDWR | os.O_DIRECT), sys.argv[2]
end, count, times = time.monotonic() + int(sys.argv[3]), int(sys.argv[4]), []
blocks = mmap.mmap(-1, 4096 * count)
def write():
    while open(used).read() != "0\n" and time.monotonic() < end:
        at = time.monotonic()
        os.pwrite(to, blocks, 4096 * count * random.randrange(600 // count))
        times.append(time.monotonic() - at)
writers = [threading.Thread(target=write) for i in range(16)]
for writer in writers:
    writer.start()
for writer in writers:
    writer.join()
print(int(max(times) * 1000), len(times))' "/dev/$MD" "$PAR/log_used" "$@"
}

# The log has no room, so writes of logged blocks wait until some is drained. It fills up while it is drained slowly: before,
# the array would shift up when half of it is used.
log_is_full() {
	local longest written
	shift_to 3
	scatter 2300
	put_many 600
	note "$(par log_used) bytes are used"
	slow_disks 200000 0 1 2
	read -r longest written < <(write_hot 40 8)
	note "$written written, $longest ms at most, gear $(par gear)"
	[ "$(par gear)" = 5 ] && [ "$longest" -gt 2500 ] || fail "the log was not full"
	assert_le "$longest" 15000 "ms of a write while the log is full"
	slow_disks 0
	wait_for "$PAR/log_used" 0 60
}

# A member is back while most of the log is to be drained, and logged blocks are written all the time.
member_returns() {
	local longest written
	shift_to 3
	scatter 2300
	put_many 600
	slow_disks 100000 0 1 2
	take_out 0
	manage --add "${DEVS[0]}"
	[ "$(par log_live)" -gt $((2000 * 4096)) ] || fail "most is drained before member 0 is back"
	read -r longest written < <(write_hot 600 1)
	note "$written written, $longest ms at most"
	assert_le "$longest" 5000 "ms of a write while the log is drained for a member"
	slow_disks 0
	wait_whole
	assert_eq "$(newest_super 1 192)" 0 "members without a part in the log"
}

mkspindles 5 64M seed=11
create_logged 3,5 8 --chunk=64
fill 1
WAITED=0
for ((round = 0; WAITED < 3; round++)); do
	[ "$round" -lt 9 ] || fail "the records are never slow"
	behind_a_record
done
while_drains_fail
end_par
mkspindles 5 64M seed=12
create_logged 3,5 32 --chunk=64
fill 1
log_is_full
member_returns
stop_par
