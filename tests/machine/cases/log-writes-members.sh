#!/bin/bash
# With the writes to the members cut off after a flush, an array that was shifting under ext4 or xfs assembles, and holds all files that were fsync'ed.
# subject: crash
# rare: yes
# machine: --mem 3G
# timeout: 1200
. "$(dirname "$0")/../tools/par.sh"
. "$(dirname "$0")/../tools/write_log.sh"

POINTS=${RAIDPAR_POINTS:-12}
MEMBER=$((160 << 11)) # sectors

# slices NAME DEV COUNT: make all members slices of one device, so that one log has all requests
# to them, in order.
slices() {
	local i
	DEVS=()
	for ((i = 0; i < $3; i++)); do
		dmsetup create "$1$i" --table "0 $MEMBER linear $2 $((i * MEMBER))"
		DEVS+=("/dev/mapper/$1$i")
	done
}

unslice() {
	local dev
	for dev in "${DEVS[@]}"; do dmsetup remove "$dev"; done
}

# work TYPE LAYOUT MEMBERS: use an array above a log of writes, with a file system, files and shifts.
work() {
	dmsetup create logged --table "0 $(($3 * MEMBER)) log-writes /dev/under /dev/log"
	slices member /dev/mapper/logged "$3"
	create_par "$2"
	make_fs "$1" /dev/md0
	sync -f "$MNT"
	dmsetup message logged 0 mark made
	"$TOOLS/fsync_work.py" "$MNT" --mark logged --seed 12 --ops 40 --gears /sys/block/md0/md/par/gear
	settle
	assert_le 2 "$(par shifts)" "shifts during the work"
	umount "$MNT"
	stop_par
	unslice
	dmsetup remove logged
}

# Array and file system recover in a snapshot, which does not influence the further replay.
look() {
	dmsetup create snap --table "0 $(blockdev --getsz /dev/again) snapshot /dev/again /dev/cow N 8"
	slices part /dev/mapper/snap "$2"
	assemble_par || fail "$1 at $POINT: cannot be assembled"
	mount /dev/md0 "$MNT" || fail "$1 at $POINT: cannot be mounted"
	ask "verify $MNT"
	[[ $ANSWER == ok* ]] || fail "$1 at $POINT: $ANSWER"
	umount "$MNT"
	check_fs "$1" /dev/md0
	stop_par
	unslice
	dmsetup remove snap
}

try() {
	local members disk
	note "$1 on $2"
	members=$(top_gear "$2")
	for disk in under again; do mkdisk "$disk" $((members * MEMBER >> 11))M; done
	for disk in log cow; do mkdisk "$disk" 2G; done
	work "$1" "$2" "$members"
	replay /dev/again "$POINTS" look "$1" "$members"
	note "$LOOKED flush points, $POINT entries"
	rmdisks
}

for layout in 3,5 raid6:4,6; do
	for type in ext4 xfs; do try "$type" "$layout"; done
done
