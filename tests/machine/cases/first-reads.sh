#!/bin/bash
# A read that races with the first write of a block never returns old content of the disk.
# subject: data
. "$(dirname "$0")/../tools/par.sh"

MIB=64
OLD=$MACHINE_TMP/old	# MIB of bytes that first_reads.py never writes
head -c ${MIB}M /dev/zero | tr '\0' '\252' >"$OLD"

# old_bytes DEVICE MIB: fill the device with them.
old_bytes() { dd if="$OLD" of="$1" bs=1M count="$2" oflag=direct status=none; }

old_disks() {
	local dev
	mkspindles "$1" ${MIB}M
	for dev in "${DEVS[@]}"; do old_bytes "$dev" $MIB; done
}

# Write whole stripes, which fill their rows, and parts of stripes, in which par fills the rest of the rows with zeros.
race() {
	slow_disks 20000
	"$TOOLS/first_reads.py" "/dev/$MD" "$1" $((256 << 10)) 8
	"$TOOLS/first_reads.py" "/dev/$MD" "$(($1 + (4 << 20)))" $((20 << 10)) 8
	slow_disks 0
}

for layout in 3,5 raid0:2,5; do
	note "$layout"
	old_disks "$(top_gear "$layout")"
	create_par "$layout" --chunk=64
	race 0
	shift_to "$(low_gear "$layout")"
	race $((8 << 20))
	# A discarded row is unwritten again, and the disks still hold its old content.
	shift_to "$(top_gear "$layout")"
	old_bytes "/dev/$MD" 8
	blkdiscard -o 0 -l $((8 << 20)) "/dev/$MD"
	race 0
	end_par
done
