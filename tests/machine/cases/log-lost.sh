#!/bin/bash
# A block of which no copy in the log can be read is lost, reads of it return an error until it is written again or discarded, and the log stays in use. A path that is gone for a time loses no data.
. "$(dirname "$0")/../tools/log.sh"
. "$(dirname "$0")/../tools/monitor.sh"

AT=321	# the block, of 4 KiB

# deaf [BLOCK [COUNT]]: reads of these blocks of the log, or of all of it, fail on all members that have one.
deaf() { local d; for d in 0 1 2; do deafen_log "$d" "$@"; done; }

# write_block [BLOCK]: of the array, and of the file; flushed.
write_block() {
	write_blocks "${1:-$AT}"
	sync -d "/dev/$MD"
}

# drain: shift up, and wait until the log is empty.
drain() {
	echo 5 >"$PAR/gear"
	wait_for "$PAR/log_used" 0 60
}

# lose_block: write the block in the low gear, and drain the log while no copy of it can be read.
lose_block() {
	shift_to 3
	write_block
	deaf
	drain
	mend_disks
}

# is_lost WHEN: the block is lost, and no other.
is_lost() {
	! read_blocks "$AT" 2>/dev/null || fail "$1: the lost block can be read"
	read_blocks $((AT - 1)) || fail "$1: the block before it cannot be read"
	read_blocks $((AT + 1)) || fail "$1: the block behind it cannot be read"
	assert_eq "$(par log_lost)" 4096 "$1: bytes that are lost"
}

on_log 3,5 8
listen
start_monitor "/dev/$MD"
# The first record of the log; the second one is to be lost.
write_block $((AT + 8))
write_block
deaf 2 $((LOG_LENGTH / 8 - 2))
! read_blocks "$AT" 2>/dev/null || fail "a block whose copies cannot be read is read"
mark_log
drain
logged 'are lost: no copy in the log can be read'
mend_disks
is_lost "drained"
heard "lost KIND=data SECTOR=$((AT * 8)) SECTORS=8\$"
wait_event LostBlocks
kill "$MONITOR"
# What the log had just in front of its tail does not wait for anything.
write_block $((AT + 8)) &
wait_for "$PAR/log_state" empty
until_ok 30 has_ended "$!" || fail "a write waits for an empty log"
wait $! || fail "a write of a block that was in the log"
is_lost "written beside it"
reassemble_par
is_lost "assembled again"
crash 7
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
	lose_block
	is_lost "drained again"
done

note "discarded, and written again past the log"
lose_block
is_lost "before a discard"
stripe=$((AT / 64))
blkdiscard -o $((stripe << 18)) -l $((1 << 18)) "/dev/$MD"
assert_eq "$(par log_lost)" 0 "bytes that are lost after a discard"
write_blocks $((stripe * 64)) 64
sync -d "/dev/$MD"
assert_eq "$(par log_used)" 0 "blocks in the log"
same "written after a discard"
crash 8
assert_eq "$(par log_lost)" 0 "bytes that are lost after a discard and a cut"
same "written after a discard, and cut"

note "what cannot be reached for a time is not lost, and keeps nothing else back"
write_block
wait_for "$PAR/log_used" 0 60
shift_to 3
# In the log's first unit, which is at the beginning of members 0 and 1: its next record, and the one behind that.
tail=$(newest_super 0 168)
assert_le "$tail" 100 "blocks of the log that have been used"
write_block $((AT + 8))
write_block
for d in 0 1; do cut_off_log "$d" $((tail + 2)) 2; done
mark_log
echo 5 >"$PAR/gear"
wait_for "$PAR/log_live" 4096 60
logged 'cannot be drained at the moment'
# Its block is in the log yet: this goes there as well, after a wait for the drain, which is in vain.
write_block $((AT + 8))
assert_eq "$(par log_lost)" 0 "bytes lost"
[ "$(par log_live)" -ge 4096 ] || fail "nothing is in the log any more"
mend_disks
same "with its paths again"
wait_for "$PAR/log_used" 0 60
same "drained"

note "the list of lost blocks survives the superblocks of those that never sleep"
lose_block
shift_to 3
stop_par
spoil_supers 0 1 2
mdadm --assemble --quiet --update=par-rescue "/dev/$MD" "${DEVS[@]}"
is_lost "after a rescue"
stop_par
