#!/bin/bash
# What an array that shifts sends to its members can be cut off after any flush: it is assembled, and the files on it are right.
# machine: --mem 3G
# timeout: 600
set -euo pipefail
. "$(dirname "$0")/../tools/par.sh"
# shellcheck source=../tools/replay.sh
. "$TOOLS/replay.sh"

MNT=/mnt/replayed
POINTS=${RAIDPAR_POINTS:-20}
MEMBER=$((160 << 11)) # sectors
export DM_DISABLE_UDEV=1

# slices NAME DEV COUNT: members side by side on one device, so that one log has
# what is sent to all of them, in order.
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

# work LAYOUT MEMBERS: array, file system, files and gears above a log of writes.
work() {
	dmsetup create logged --table "0 $(($2 * MEMBER)) log-writes /dev/under /dev/log"
	slices member /dev/mapper/logged "$2"
	create_par "$1"
	make_fs ext4 -E nodiscard
	sync -f "$MNT"
	dmsetup message logged 0 mark made
	"$TOOLS/fsync_work.py" "$MNT" --mark logged --seed 12 --gears /sys/block/md0/md/par/gear
	settle
	assert_le 2 "$(par shifts)" "shifts meanwhile"
	umount "$MNT"
	stop_par
	unslice
	dmsetup remove logged
}

make_fs() {
	mkfs."$1" -q -F "${@:2}" /dev/md0
	mkdir -p "$MNT"
	mount /dev/md0 "$MNT"
}

# Array and file system recover in a snapshot: the replay goes on without that.
look() {
	dmsetup create snap --table "0 $(blockdev --getsz /dev/again) snapshot /dev/again /dev/cow N 8"
	slices part /dev/mapper/snap "$1"
	assemble_par || fail "$POINT: cannot be assembled"
	mount /dev/md0 "$MNT" || fail "$POINT: cannot be mounted"
	ask "verify $MNT"
	[[ $ANSWER == ok* ]] || fail "$POINT: $ANSWER"
	umount "$MNT"
	e2fsck -fn /dev/md0 >"$MACHINE_TMP/check" 2>&1 || fail "$POINT: $(cat "$MACHINE_TMP/check")"
	stop_par
	unslice
	dmsetup remove snap
}

for layout in 3,5 raid6:4,6; do
	note "$layout"
	members=$(top_gear "$layout")
	for disk in under again; do mkdisk "$disk" $((members * MEMBER >> 11))M; done
	for disk in log cow; do mkdisk "$disk" 2G; done
	work "$layout" "$members"
	replay /dev/again "$POINTS" look "$members"
	note "$POINT"
	rmdisks
done
