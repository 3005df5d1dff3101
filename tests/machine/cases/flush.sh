#!/bin/bash
# An fsync and a FUA write reach the caches of all members that are awake, and no sleeper.
# subject: data
. "$(dirname "$0")/../tools/par.sh"

# flushes: print the number of flushes sent to each disk.
flushes() {
	local name stat
	for name in "${DISKS[@]}"; do
		read -r -a stat <"/sys/block/$name/stat"
		echo "${stat[15]}"
	done
}

# Every awake member has received more flushes than before.
check_flushed() {
	local i awake
	mapfile -t after < <(flushes)
	get gear
	awake=$GOT
	for ((i = 0; i < awake; i++)); do
		[ "${after[i]}" -gt "${before[i]}" ] || fail "$LAYOUT: $1 in gear $awake: no flush to member $i"
	done
}

work() {
	local gear before after
	assert_eq "$(</sys/block/md0/queue/write_cache)" "write back" "the array's cache"
	fill 4
	for gear in $(down_and_up "$LAYOUT"); do
		shift_to "$gear"
		watch_sleepers
		mapfile -t before < <(flushes)
		sync -d "/dev/$MD"
		check_flushed "sync of nothing"
		mapfile -t before < <(flushes)
		dd if=/dev/urandom of="/dev/$MD" bs=4k count=3 oflag=direct,sync conv=notrunc status=none
		check_flushed "a write with O_SYNC"
		mapfile -t before < <(flushes)
		dd if=/dev/urandom of="/dev/$MD" bs=12345 count=9 conv=notrunc,fsync status=none
		check_flushed "fsync after buffered writes"
		assert_asleep "flushes in gear $gear"
	done
}

for layout in "${LAYOUTS[@]}"; do
	note "$layout"
	on_disks "$layout" 24M cache_size=4
	work
	end_par
done
