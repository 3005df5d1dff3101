#!/bin/bash
# A discard of a row that stays, here since it has a lost block, leaves the newest content of the row, and its lost sectors.
. "$(dirname "$0")/../tools/log.sh"

STRIPE=$((4 * 65536))
STAYS=5 GOES=6	# stripes
LOST=5		# the lost block of a chunk, of 4 KiB; …
LOGGED=9	# … and the one that is in the log

# block_of STRIPE CHUNK: the block of the array that is in the log.
block_of() { echo $((($1 * 4 + $2) * 16 + LOGGED)); }

# write_stripe STRIPE: a block of each chunk.
write_stripe() { local i; for i in 0 1 2 3; do write_blocks "$(block_of "$1" "$i")"; done; }

# has BLOCK FILE WHAT: the array has what the file has there.
has() {
	cmp <(dd if="/dev/$MD" bs=4k skip="$1" count=1 iflag=direct status=none) \
		<(dd if="$2" bs=4k skip="$1" count=1 status=none) || fail "block $1: $3"
}

# lose_block: a block of member 1 cannot be rebuilt, as that of member 2 cannot be read.
lose_block() {
	local i lost=0
	find_log
	take_out 1
	mdadm --zero-superblock "${DEVS[1]}"
	echo "read $((LOG_AT + LOG_LENGTH + STAYS * 128 + LOST * 8)) 8" >"$SPINDLES/${DISKS[2]}/errors"
	put_in 1
	wait_for "$PAR/log_used" 0 60
	for i in 0 1 2 3; do
		read_blocks $(((STAYS * 4 + i) * 16 + LOST)) 2>/dev/null || lost=$((lost + 1))
	done
	[ "$lost" -gt 0 ] || fail "no block is lost"
}

# both_stripes WHEN: of these two stripes, one has been discarded.
both_stripes() {
	local i
	for i in 0 1 2 3; do
		has "$(block_of $STAYS "$i")" "$TWIN" "$1, it has older content"
		has "$(block_of $GOES "$i")" /dev/zero "$1, it is not discarded"
	done
}

on_log 3,5 8 64M seed=21
shift_to 5
lose_block
shift_to 3
write_stripe $STAYS
write_stripe $GOES
sync -d "/dev/$MD"
assert_eq "$(par log_live)" $((8 * 4096)) "bytes in the log"
blkdiscard -o $((STAYS * STRIPE)) -l $((2 * STRIPE)) "/dev/$MD"
assert_eq "$(par log_live)" $((4 * 4096)) "bytes in the log of a stripe that stays"
echo 3 >/proc/sys/vm/drop_caches
both_stripes "discarded"

note "after a cut the log has it as well"
crash 3
for i in 0 1 2 3; do has "$(block_of $STAYS "$i")" "$TWIN" "after a cut, it has older content"; done

note "a sector that the log has lost stays so"
# Written again, as the log may have been drained when it was idle.
write_stripe $STAYS
write_stripe $GOES
for d in 0 1 2; do deafen_log "$d"; done
shift_to 5
wait_for "$PAR/log_used" 0 60
mend_disks
assert_eq "$(par log_lost)" $((8 * 4096)) "bytes that are lost"
blkdiscard -o $((STAYS * STRIPE)) -l $((2 * STRIPE)) "/dev/$MD"
echo 3 >/proc/sys/vm/drop_caches
for i in 0 1 2 3; do
	! read_blocks "$(block_of $STAYS "$i")" 2>/dev/null || fail "chunk $i: a lost block can be read after a discard"
	has "$(block_of $GOES "$i")" /dev/zero "it is not discarded"
done
assert_eq "$(par log_lost)" $((4 * 4096)) "bytes that are lost after a discard"
stop_par
