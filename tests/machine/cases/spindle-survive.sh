#!/bin/bash
# Spindle disks: data that was flushed or written with FUA survives every cut; other writes are lost, torn, older or kept.
# plain: yes
. "$(dirname "$0")/../tools/par.sh"

SECTORS=$TOOLS/sectors.py
declare -A SEEN

# cut_and_look SEED FIRST COUNT: cut the power, and print the remaining content as words TAG:NUMBER.
cut_and_look() {
	echo "$1" >"$SPINDLES/cut"
	assert_eq "$(cat "$SPINDLES/spin0/dirty")" 0 "dirty sectors without power"
	echo all >"$SPINDLES/restore"
	LEFT=$("$SECTORS" census /dev/spin0 "$2" "$3" | tr ' \n' ': ')
}

# note_outcome: count the possible outcomes for three versions.
note_outcome() {
	local what
	for what in first: second: third:; do
		[[ $LEFT != *"$what"* ]] || SEEN[$what]=1
	done
	[[ $LEFT == *third* ]] || SEEN[none]=1
	[[ $LEFT != "third:512 mixed:0 " ]] || SEEN[all]=1
	[[ $LEFT == *mixed:0* ]] || SEEN[torn]=1
}

flush() { dd if=/dev/null of=/dev/spin0 conv=fsync,notrunc status=none; }

# versions: write one version that is flushed, and two that are not.
versions() {
	"$SECTORS" write /dev/spin0 first 0 512
	flush
	assert_eq "$(cat "$SPINDLES/spin0/dirty")" 0 "dirty sectors after a flush"
	"$SECTORS" write /dev/spin0 second 0 512
	"$SECTORS" write /dev/spin0 third 0 512
	assert_eq "$(cat "$SPINDLES/spin0/dirty")" 512 "dirty sectors"
}

flushes() {
	local stat
	read -r -a stat </sys/block/spin0/stat
	echo "${stat[15]}"
}

# Overwriting a file on ext4 sends FUA without a flush; writing to the device does not.
fua() {
	local seed=$1 before
	"$SECTORS" write /mnt/plain "plain$seed" 0 128
	before=$(flushes)
	"$SECTORS" write /mnt/fua "fua$seed" 0 128 --fua
	assert_eq "$(flushes)" "$before" "flushes"
	echo "$seed" >"$SPINDLES/cut"
	umount /mnt
	echo all >"$SPINDLES/restore"
	mount -o noatime,commit=300 /dev/spin0 /mnt
	assert_eq "$("$SECTORS" census /mnt/fua | head -n 1)" "fua$seed 128" "written with FUA"
	[[ $("$SECTORS" census /mnt/plain) != *"plain$seed 128"* ]] || return 0
	LOST=$((LOST + 1))
}

note "a write-back cache"
mkspindles 1 16M
for seed in {1..25}; do
	versions
	cut_and_look "$seed" 0 512
	assert_match "$LEFT" '^((first|second|third):[0-9]+ )+mixed' "after the cut, seed $seed"
	note_outcome
done
assert_eq "${#SEEN[@]}" 6 "kinds of outcome in 25 cuts (${!SEEN[*]})"
assert_le 1000 "$(cat "$SPINDLES/spin0/lost")" "sectors lost in 25 cuts"
rmdisks

note "FUA"
mkspindles 1 64M
mkfs.ext4 -q -E lazy_itable_init=0 /dev/spin0	# otherwise ext4's own work would flush
mount -o noatime,commit=300 /dev/spin0 /mnt
for file in plain fua; do "$SECTORS" write "/mnt/$file" old 0 128; done
sync -f /mnt
LOST=0
for seed in {1..10}; do fua "$seed"; done
umount /mnt
fsck.ext4 -f -n /dev/spin0 >"$MACHINE_TMP/fsck" 2>&1 || fail "fsck: $(cat "$MACHINE_TMP/fsck")"
assert_ne "$LOST" 0 "cuts that lost unflushed data"
rmdisks

note "a discard is as volatile"
mkspindles 1 16M
seen=
for seed in {1..12}; do
	"$SECTORS" write /dev/spin0 first 0 512
	flush
	blkdiscard -o 0 -l 256K /dev/spin0
	assert_eq "$("$SECTORS" census /dev/spin0 0 512 | head -n 1)" "zero 512" "discarded"
	[ "$seed" -gt 1 ] || flush
	cut_and_look "$seed" 0 512
	[ "$seed" -gt 1 ] || assert_eq "$LEFT" "zero:512 mixed:0 " "discarded and flushed"
	assert_match "$LEFT" '^((first|zero):[0-9]+ )+mixed' "after the cut, seed $seed"
	[[ $LEFT != *first* ]] || seen=1
done
[ "$seen" ] || fail "no discard was lost in 11 cuts"
rmdisks

note "blocks of 4096 are never torn"
mkspindles 1 16M blocksize=4096
for seed in {1..10}; do
	versions
	cut_and_look "$seed" 0 512
	assert_match "$LEFT" 'mixed:0 $' "torn blocks, seed $seed"
done
rmdisks

note "a write-through cache loses nothing"
mkspindles 1 16M cache=0
assert_eq "$(cat /sys/block/spin0/queue/write_cache)" "write through" "cache"
"$SECTORS" write /dev/spin0 first 0 4096
assert_eq "$(cat "$SPINDLES/spin0/dirty")" 0 "dirty sectors"
cut_and_look 1 0 4096
assert_eq "$LEFT" "first:4096 mixed:0 " "after the cut"
assert_eq "$(cat "$SPINDLES/spin0/lost")" 0 "lost sectors"
rmdisks
