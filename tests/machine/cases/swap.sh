#!/bin/bash
# Memory that is swapped out to an array whose gear changes is right when it is read back, and nothing hangs.
# subject: data
# machine: --mem 512M
# RAIDPAR_WHOLE=1: also with three gears and parity.
. "$(dirname "$0")/../tools/par.sh"

SHORT=40	# MiB of memory more than the machine has

# Reclaim may use the last pages, and 7.2's swap complains, on md's raid5 as well, if there is none for its own table. So the
# reserve is larger than usual.
echo 24576 >/proc/sys/vm/min_free_kbytes

# The disks are in memory: allocate it all before memory is short.
fill_disks() {
	local dev
	for dev in "${DEVS[@]}"; do
		dd if=/dev/zero of="$dev" bs=1M oflag=direct status=none 2>/dev/null || true
	done
}

counter() { sed -n "s/^$1 //p" /proc/vmstat; }
available() { awk '/^MemAvailable/ { print int($2 / 1024) }' /proc/meminfo; }

# The array shifts while the mover's memory may have to be swapped in.
shift_to_and_fro() {
	local gear
	while [ -e /run/shifting ]; do
		for gear in $(gears "$LAYOUT"); do
			echo "$gear" >"/sys/block/$MD/md/par/gear"
			nap 1
		done
	done
}

# swapping LAYOUT SIZE
swapping() {
	local out shifter status=0
	note "$1"
	mkdisks "$(top_gear "$1")" "$2"
	fill_disks
	create_par "$1" --chunk=64
	mkswap "/dev/$MD" >/dev/null
	shift_to "$(low_gear "$1")"
	swapon "/dev/$MD"
	echo 3 >/proc/sys/vm/drop_caches
	out=$(counter pswpout)
	: >/run/shifting
	shift_to_and_fro &
	shifter=$!
	"$TOOLS/hog.py" --mib $(($(available) + SHORT)) --seconds 15 || status=$?
	rm /run/shifting
	wait "$shifter"
	assert_eq "$status" 0 "the hog's verdict"
	assert_le 1000 $(($(counter pswpout) - out)) "pages swapped out"
	settle
	note "$(($(counter pswpout) - out)) pages out, $(par shifts) shifts"
	swapoff "/dev/$MD"
	end_par
}

swapping 3,5 64M
[ -z "${RAIDPAR_WHOLE:-}" ] || swapping 3,5,8 40M
swapping raid0:2,3,5 60M
