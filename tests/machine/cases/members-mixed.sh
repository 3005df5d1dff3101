#!/bin/bash
# Members of different kinds work together: loop, device mapper, a partition, sectors of 4096 and of 512 bytes.
# subject: shape
. "$(dirname "$0")/../tools/par.sh"

SIZE=32	# MiB of each

on_loop() {
	local file=$MACHINE_TMP/member$1
	shift
	truncate -s ${SIZE}M "$file"
	DEVS+=("$(losetup --find --show "$@" "$file")")
}

on_dm() {
	dmsetup create "$1" --table "0 $((SIZE << 11)) linear $2 4096"
	DEVS+=("/dev/mapper/$1")
}

# The array's logical sectors are as large as the largest of its members.
mixed() {
	local size=$1
	note "sectors of $size"
	create_par 3,5 --chunk=64 --destroy-par
	assert_eq "$(blockdev --getss "/dev/$MD")" "$size" "logical sectors"
	assert_eq "$(blockdev --getpbsz "/dev/$MD")" 4096 "physical sectors"
	exercise "$size"
	stop_par
}

export DM_DISABLE_UDEV=1
mkdisks 3 64M
beneath=("${DEVS[@]}")
disks=("${DISKS[@]}")
mkspindles 1 64M physical=4096
addpart "${beneath[0]}" 1 2048 $((SIZE << 11))
DEVS=("${beneath[0]}p1" "/dev/${DISKS[3]}")
on_dm linear "${beneath[1]}"
on_loop 1
DEVS+=("${beneath[2]}")
mixed 512

losetup -d "${DEVS[3]}"
DEVS=("${DEVS[@]:0:3}" "${DEVS[4]}")
on_loop 2 --sector-size 4096
for dev in "${DEVS[@]:0:4}"; do mdadm --zero-superblock "$dev"; done
mixed 4096

losetup -d "${DEVS[4]}"
dmsetup remove linear
disks+=("${DISKS[3]}")
DISKS=("${disks[@]}")
rmdisks
