# shellcheck shell=bash
# Arrays with a write log, and a file with the expected content of their first 8 MiB.

# shellcheck source=par.sh
. "$(dirname "${BASH_SOURCE[0]}")/par.sh"
TWIN=$MACHINE_TMP/twin

# create_logged LAYOUT MIB [OPTION...]: create an array on all disks, with a log of MIB on each member.
create_logged() {
	local layout=$1 mib=$2
	shift 2
	create_par "$layout" --log-size="${mib}M" "$@"
}

# on_log LAYOUT MIB [SIZE [ATTRIBUTE=VALUE...]]: such an array on new spindles, in its low gear, with data that the file has
# and with an empty log. The first unit of the log is on members 0 and 1.
on_log() {
	mkspindles "$(top_gear "$1")" "${3:-64M}" "${@:4}"
	create_logged "$1" "$2" --chunk=64
	fill_twin
	shift_to "$(low_gear "$1")"
	find_log
}

# drained: in the top gear, with an empty log. flushed_crash SEED: flush, cut the power, and assemble the array again.
drained() { shift_to "$(top_gear "$LAYOUT")"; wait_for "$PAR/log_used" 0 60; }
flushed_crash() { sync -d "/dev/$MD"; crash "$1"; }

# super_number NUMBER BYTE: print the eight bytes from BYTE of the superblock in slot 0 of disk NUMBER of DISKS.
super_number() {
	dd if="${DEVS[$1]}" bs=4k skip=$(($(data_offset "${DEVS[$1]}") / 8)) count=1 iflag=direct status=none |
		od -An -t u8 -N 8 -j "$2" | tr -d ' '
}

# newest_super NUMBER BYTE: print the four bytes from BYTE of the newer superblock of disk NUMBER of DISKS.
newest_super() {
	dd if="${DEVS[$1]}" bs=4k skip=$(($(data_offset "${DEVS[$1]}") / 8)) count=2 iflag=direct status=none | python3 -c '
import struct, sys
raw, field = sys.stdin.buffer.read(), int(sys.argv[1])
print(max((struct.unpack_from("<Q", raw, at + 72)[0], struct.unpack_from("<I", raw, at + field)[0])
          for at in (0, 4096))[1])' "$2"
}

# spoil_supers NUMBER...: noise in place of both superblocks of raid-par on these disks of DISKS.
spoil_supers() {
	local d
	for d; do
		dd if=/dev/urandom of="${DEVS[d]}" bs=4k seek=$(($(data_offset "${DEVS[d]}") / 8)) count=2 oflag=direct \
			conv=notrunc status=none
	done
}

# find_log: set LOG_AT to the first sector of the log on each disk that has one, and LOG_LENGTH to its length.
find_log() {
	LOG_LENGTH=$(super_number 0 160)
	[ "$LOG_LENGTH" -gt 0 ] || fail "no log in the superblock"
	LOG_AT=$(($(data_offset "${DEVS[0]}") + $(super_number 0 112) - LOG_LENGTH))
}

# find_summaries: the same, and set UNITS to the number of units of the log's whole area, and SUMS to the block of the log that
# has the summary of the first unit, on each of these disks.
find_summaries() {
	local members copies
	find_log
	# shellcheck disable=SC2153  # create_par sets LAYOUT
	members=$(low_gear "$LAYOUT")
	copies=$(($(parities "$LAYOUT") + 1))
	# shellcheck disable=SC2017,SC2034  # whole units; for scripts that source this file
	UNITS=$((LOG_LENGTH / 1024 * members / copies)) SUMS=$((LOG_LENGTH / 8 - UNITS))
	assert_le 32 "$UNITS" "units of a log with summaries"
}

# log_range [BLOCK [COUNT]]: these blocks of the log, or all of it, as FIRST and COUNT in sectors of a disk.
log_range() {
	FIRST=$((LOG_AT + 8 * ${1:-0})) COUNT=$LOG_LENGTH
	[ $# = 0 ] || COUNT=$((8 * ${2:-1}))
}

# wipe_log NUMBER [BLOCK [COUNT]]: zeros there, on this disk of DISKS.
wipe_log() {
	log_range "${@:2}"
	dd if=/dev/zero of="${DEVS[$1]}" bs=512 seek="$FIRST" count="$COUNT" oflag=direct conv=notrunc status=none
}

# deafen_log NUMBER [BLOCK [COUNT [TIMES]]]: reads there fail, until it is written; or so many times.
deafen_log() {
	log_range "${@:2:2}"
	echo "read $FIRST $COUNT${4:+ $4}" >"$SPINDLES/${DISKS[$1]}/errors"
}

# cut_off_log NUMBER [BLOCK [COUNT]]: reads there fail, but not for the medium.
cut_off_log() {
	log_range "${@:2}"
	echo "path $FIRST $COUNT" >"$SPINDLES/${DISKS[$1]}/errors"
}

# mend_disks: all of their sectors can be read.
mend_disks() {
	local name
	for name in "${DISKS[@]}"; do echo clear >"$SPINDLES/$name/errors"; done
}

# fill_twin: write the same random data to the array and to the file.
fill_twin() {
	fill 8
	dd if="/dev/$MD" of="$TWIN" bs=1M count=8 iflag=direct status=none
}

# log_twin: write new random data to the file, and to the array in requests that the log takes: about 16 units. In virtual
# time only a pause lets the log write their summaries.
log_twin() {
	local i
	dd if=/dev/urandom of="$TWIN" bs=1M count=8 status=none
	for i in 0 1 2 3; do
		dd if="$TWIN" of="/dev/$MD" bs=128k skip=$((16 * i)) seek=$((16 * i)) count=16 oflag=direct conv=notrunc status=none
		nap 0.1
	done
}

# summarized: print the number of units that the assembly since mark_log has found by their summaries.
summarized() { log_since | sed -n 's/.* \([0-9]*\) units were found by their summaries$/\1/p' | tail -1; }

# write_some SEED COUNT [large]: make COUNT writes of 512 bytes to 32 KiB, or to 1020 KiB, to the array and to the file.
write_some() { "$TOOLS/log_writes.py" "/dev/$MD" "$TWIN" "$@"; }

# write_blocks BLOCK [COUNT]: 4 KiB each, random, in one request, to the array and to the file; read_blocks.
write_blocks() {
	local count=${2:-1}
	dd if=/dev/urandom of="$TWIN.blocks" bs=4k count="$count" status=none
	dd if="$TWIN.blocks" of="/dev/$MD" bs=$((count * 4096)) count=1 seek=$(($1 * 4096)) oflag=direct,seek_bytes \
		conv=notrunc status=none
	dd if="$TWIN.blocks" of="$TWIN" bs=4k seek="$1" conv=notrunc status=none
}

# write_at_top BLOCK: the same with one block, as soon as the array is in its top gear. Until then "$TWIN.blocks.ready"
# has "yes": there is no program to be started any more, which may take seconds.
write_at_top() {
	dd if=/dev/urandom of="$TWIN.blocks" bs=4k count=1 status=none
	python3 -c '
import mmap, os, sys, time
to = os.open(sys.argv[1], os.O_RDWR | os.O_DIRECT)
block = mmap.mmap(-1, 4096)
block.write(open(sys.argv[3], "rb").read())
with open(sys.argv[3] + ".ready", "w") as ready:
    ready.write("yes\n")
while open(sys.argv[2]).read() != "5\n":
    time.sleep(0.01)
os.pwrite(to, block, int(sys.argv[4]) * 4096)' "/dev/$MD" "/sys/block/$MD/md/par/gear" "$TWIN.blocks" "$1"
	dd if="$TWIN.blocks" of="$TWIN" bs=4k seek="$1" conv=notrunc status=none
}

read_blocks() { dd if="/dev/$MD" of=/dev/null bs=4k skip="$1" count="${2:-1}" iflag=direct status=none; }

# scatter COUNT: write COUNT blocks behind those of the file, far from each other, which take long to drain.
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

# same WHAT: the array has what the file has.
same() {
	dd if="/dev/$MD" of="$TWIN.read" bs=1M count=8 iflag=direct status=none
	# shellcheck disable=SC2153  # create_par sets LAYOUT
	cmp "$TWIN.read" "$TWIN" || fail "$LAYOUT: $1"
}
