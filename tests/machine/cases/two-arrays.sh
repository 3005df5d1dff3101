#!/bin/bash
# Two arrays side by side, also on partitions of the same disks, shift, stop and start independently.
# subject: life
. "$(dirname "$0")/../tools/par.sh"

# use 0|1: set MD and the disks for the functions below.
use() {
	MD=md$1
	DEVS=("${all[@]:$1*5:5}")
	DISKS=("${all_disks[@]:$1*5:5}")
}

# Fill both arrays at once.
fill_both() {
	local n pids=()
	for n in 0 1; do
		use "$n"
		fill 6 &
		pids+=("$!")
	done
	wait "${pids[0]}"
	wait "${pids[1]}"
}

# Test two arrays, which shift in opposite directions, on all and all_disks: md0's, then md1's.
side_by_side() {
	local n round sum0 sum1
	for n in 0 1; do
		use "$n"
		create_par 3,5 --chunk=64
	done
	use 0
	shift_to 3
	for round in 1 2 3; do
		echo 5 >/sys/block/md0/md/par/gear
		echo 3 >/sys/block/md1/md/par/gear
		fill_both
		use 0; settle; sum0=$(fingerprint)
		use 1; settle; sum1=$(fingerprint)
		echo 3 >/sys/block/md0/md/par/gear
		echo 5 >/sys/block/md1/md/par/gear
		use 0; settle
		watch_sleepers
		assert_eq "$(fingerprint)" "$sum0" "md0 in round $round"
		use 1; settle
		assert_eq "$(fingerprint)" "$sum1" "md1 in round $round"
		use 0
		assert_asleep "of md0 while md1 works"
	done

	use 0; stop_par
	use 1; assert_eq "$(fingerprint)" "$sum1" "md1 with md0 stopped"
	use 0; assemble_par; assert_eq "$(fingerprint)" "$sum0" "md0 again"
	stop_par
	use 1; stop_par
}

note "on disks of their own"
mkdisks 10 24M
all=("${DEVS[@]}")
all_disks=("${DISKS[@]}")
side_by_side
DISKS=("${all_disks[@]}")
rmdisks

note "on partitions of the same disks"
mkdisks 5 64M
whole=("${DISKS[@]}")
all=()
all_disks=()
for part in 1 2; do
	for disk in "${whole[@]}"; do
		addpart "/dev/$disk" "$part" $(((part - 1) * 50000 + 2048)) 49152
		all_disks+=("${disk}p$part")
		all+=("/dev/${disk}p$part")
	done
done
side_by_side
DISKS=("${whole[@]}")
rmdisks
