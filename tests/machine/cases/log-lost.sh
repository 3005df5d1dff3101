#!/bin/bash
# A block of which no copy in the log can be read is lost, reads of it fail until it is written again, and the log goes on.
# subject: log
# machine: --debug --mem 1G
# timeout: 200
set -euo pipefail
. "$(dirname "$0")/../tools/par.sh"
. "$(dirname "$0")/../tools/log.sh"

PAR=/sys/block/$MD/md/par
AT=321	# the block, of 4 KiB

# number DEVICE BYTE: of the superblock, eight bytes.
number() {
	dd if="$1" bs=4k skip=$(($(data_offset "$1") / 8)) count=1 iflag=direct status=none |
		od -An -t u8 -N 8 -j "$2" | tr -d ' '
}

# deaf SECTORS: reads of the log of all members that have one fail, or (0) no longer do.
deaf() {
	local d start
	for d in 0 1 2; do
		start=$(($(data_offset "${DEVS[d]}") + META - LOG))
		if [ "$1" -gt 0 ]; then
			echo "read $start $1" >"$SPINDLES/${DISKS[d]}/errors"
		else
			echo clear >"$SPINDLES/${DISKS[d]}/errors"
		fi
	done
}

read_block() { dd if="/dev/$MD" of=/dev/null bs=4k skip="$1" count=1 iflag=direct status=none; }

# write_block: of the array, and of the file.
write_block() {
	dd if=/dev/urandom of="$TWIN.block" bs=4k count=1 status=none
	dd if="$TWIN.block" of="/dev/$MD" bs=4k seek="$AT" oflag=direct conv=notrunc,fsync status=none
	dd if="$TWIN.block" of="$TWIN" bs=4k seek="$AT" conv=notrunc status=none
}

is_lost() {
	! read_block "$AT" 2>/dev/null || fail "$1: the lost block can be read"
	read_block $((AT - 1)) || fail "$1: the block before it cannot be read"
	read_block $((AT + 1)) || fail "$1: the block behind it cannot be read"
	assert_eq "$(par log_lost)" 4096 "$1: bytes that are lost"
}

mkspindles 5 64M
create_logged 3,5 8 --chunk=64
fill_twin
shift_to 3
# A superblock of par is in slot 0 from the first store on.
META=$(number "${DEVS[0]}" 112)
LOG=$(number "${DEVS[0]}" 160)
[ "$LOG" -gt 0 ] || fail "no log in the superblock"
write_block
deaf "$LOG"
! read_block "$AT" 2>/dev/null || fail "a block whose copies cannot be read is read"
mark_log
echo 5 >"$PAR/gear"
wait_for "$PAR/log_used" 0 60
logged 'are lost: no copy in the log can be read'
deaf 0
is_lost "drained"
reassemble_par
is_lost "assembled again"
power_cut 7
assemble_par
is_lost "after a cut"

note "written again, in the top gear and in the low one"
for gear in 5 3; do
	shift_to "$gear"
	write_block
	same "written again in gear $gear"
	shift_to 5
	wait_for "$PAR/log_used" 0 60
	assert_eq "$(par log_lost)" 0 "gear $gear: bytes that are lost"
	reassemble_par
	same "assembled after that"
	[ "$gear" = 5 ] || break
	shift_to 3
	write_block
	deaf "$LOG"
	echo 5 >"$PAR/gear"
	wait_for "$PAR/log_used" 0 60
	deaf 0
	is_lost "drained again"
done
stop_par
