#!/bin/bash
# An array that shifts under ext4 or xfs has all data that the file system has written; a replay up to any flush has all files that were fsync'ed.
# subject: crash
# The log is above the array, so the array's own writes are not cut off: log-writes-members.sh does that.
# rare: yes
# timeout: 600
. "$(dirname "$0")/../tools/par.sh"
. "$(dirname "$0")/../tools/write_log.sh"

POINTS=${RAIDPAR_POINTS:-25}

# on NAME FIRST COUNT: set the array and its disks for create_par, settle and others.
on() {
	MD=$1
	DISKS=("${ALL_DISKS[@]:$2:$3}")
	DEVS=("${DISKS[@]/#//dev/}")
}

# work TYPE: use a file system above a log of writes, with files and shifts.
work() {
	dmsetup create logged --table "0 $(blockdev --getsz /dev/md0) log-writes /dev/md0 /dev/log"
	make_fs "$1" /dev/mapper/logged
	sync -f "$MNT"
	dmsetup message logged 0 mark made
	"$TOOLS/fsync_work.py" "$MNT" --mark logged --seed 11 --gears /sys/block/md0/md/par/gear
	umount "$MNT"
	dmsetup remove logged
	settle
	assert_le 2 "$(par shifts)" "shifts during the work"
}

# The file system recovers in a snapshot, which does not influence the further replay.
look() {
	dmsetup create snap --table "0 $(blockdev --getsz /dev/md1) snapshot /dev/md1 /dev/cow N 8"
	mount /dev/mapper/snap "$MNT" || fail "$1 at $POINT: cannot be mounted"
	ask "verify $MNT"
	[[ $ANSWER == ok* ]] || fail "$1 at $POINT: $ANSWER"
	PROMISED=$ANSWER
	umount "$MNT"
	check_fs "$1" /dev/mapper/snap
	dmsetup remove snap
}

for type in ext4 xfs; do
	mkdisks 8 192M
	ALL_DISKS=("${DISKS[@]}")
	on md1 5 3
	create_par raid0:2,3
	on md0 0 5
	create_par 3,5
	mkdisk log 1G
	mkdisk cow 1G
	work "$type"
	replay /dev/md1 "$POINTS" look "$type"
	note "$type: $LOOKED flush points, $POINT entries, files at last: $PROMISED"
	cmp -n "$(array_bytes)" /dev/md0 /dev/md1
	stop_all
	DISKS=("${ALL_DISKS[@]}" log cow)
	rmdisks
done
