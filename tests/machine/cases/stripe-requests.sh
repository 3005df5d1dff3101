#!/bin/bash
# A write of whole stripes causes one request to a disk for each chunk of a home copy or image.
# subject: shift
# machine: --time-travel
. "$(dirname "$0")/../tools/par.sh"

# costs GEARS CHUNK_KIB MOST [COUNT]: for eight stripes that are written COUNT at a time (1), the disks have so many writes at most.
costs() {
	local stripe=$(((${1##*[,:]} - 1) * $2)) many=${4:-1} before count # KiB
	mkspindles "${1##*[,:]}" 384M
	create_par "$1" --log-size=none --image-share=100 --chunk="$2"
	dd if=/dev/zero of="/dev/$MD" bs="${stripe}k" count=12 oflag=direct status=none
	settle
	shift_to "${1%%,*}"
	nap 10
	before=$(of_disks writes)
	dd if=/dev/zero of="/dev/$MD" bs=$((many * stripe))k count=$((8 / many)) oflag=direct status=none
	settle
	nap 10
	count=$(($(of_disks writes) - before))
	note "$1, chunks of $2 KiB, $many at a time: $count"
	assert_le "$count" "$3" "writes of the disks for eight stripes of $1 with chunks of $2 KiB"
	end_par
}

# Three chunks at home, and two in images with one of parity; and what is stored before and after. Requests have 512 KiB at most.
costs 3,5 256 60
costs 3,5 512 60
costs 3,5 512 60 8
costs 3,5 2048 204
# 7.5 in images: one stripe ends within a row of the gear set, and the next one completes it.
costs 3,8 512 100 8
costs 3,4,6 512 110
costs 6,8 512 92
