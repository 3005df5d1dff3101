#!/bin/bash
# Dozens of arrays, created and stopped one after another and several at a time, leave no thread and no device behind.
# plain: yes
# subject: life
# timeout: 600
# RAIDPAR_WHOLE=1: a hundred of them.
. "$(dirname "$0")/../tools/par.sh"

AT_ONCE=12
ROUNDS=$((${RAIDPAR_WHOLE:-0} ? 8 : 3))	# and four arrays more at the end

threads() { ps -e -o ppid=,comm= | awk '$1 == 2 && $2 !~ /^kworker/' | wc -l; }

# use N: set MD and the disks to those of array N.
use() {
	MD=md$1
	DISKS=("${all[@]:$1*3:3}")
	DEVS=("${DISKS[@]/#//dev/}")
}

together() {
	local n
	for ((n = 0; n < $1; n++)); do
		use "$n"
		create_par 2,3 --chunk=64 --destroy-par
		fill 1
		echo 2 >"/sys/block/$MD/md/par/gear"
	done
	for ((n = $1 - 1; n >= 0; n--)); do
		use "$n"
		settle
		assert_eq "$(par gear)" 2 "gear of $MD"
		stop_par
	done
}

mkdisks $((AT_ONCE * 3)) 24M
all=("${DISKS[@]}")
together 1
before=$(threads)
for ((round = 0; round < ROUNDS; round++)); do together "$AT_ONCE"; done
together 4
for i in {1..300}; do	# md deletes an array some time after it is stopped
	[ "$(threads)" != "$before" ] || ls -d /sys/block/md* >/dev/null 2>&1 || break
	nap 0.1
done
assert_eq "$(threads)" "$before" "kernel threads"
assert_eq "$(ls -d /sys/block/md* 2>/dev/null || true)" "" "arrays that are left"
rmmod raid-par
DISKS=("${all[@]}")
rmdisks
