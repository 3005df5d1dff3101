#!/bin/bash
# Two arrays beside each other shift, stop and start without minding each other.
# timeout: 120
set -euo pipefail
. "$(dirname "$0")/../tools/par.sh"

mkdisks 10 24M
all=("${DEVS[@]}")
all_disks=("${DISKS[@]}")

# use 0|1: which array and whose disks the functions below mean.
use() {
	MD=md$1
	DEVS=("${all[@]:$1*5:5}")
	DISKS=("${all_disks[@]:$1*5:5}")
}

for n in 0 1; do
	use "$n"
	create_par 3,5 --chunk=64
done

# Both at once, in opposite directions.
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
use 1; stop_par
