#!/bin/bash
# On the disks of a stopped array, in each gear, parity, images and data are where the documents say.
# plain: yes
# subject: data
# RAIDPAR_WHOLE=1: another layout.
. "$(dirname "$0")/../tools/par.sh"

# Disks with random content: par must not rely on unwritten sectors.
dirty_disks() {
	local dev
	for dev in "${DEVS[@]}"; do
		dd if=/dev/urandom of="$dev" bs=1M count=12 seek=1 oflag=direct status=none
	done
}

take_apart() {
	dd if="/dev/$MD" of="$MACHINE_TMP/content" bs=1M iflag=direct status=none
	stop_par
	dissect --compare "$MACHINE_TMP/content" --expect-gear "$1"
	assemble_par
}

work() {
	local gear i
	assert_eq "$(fingerprint)" "$(head -c "$(array_bytes)" /dev/zero | b2sum | cut -d' ' -f1)" "a new array's content"
	fill 3 2
	for gear in $(down_and_up "$LAYOUT"); do
		shift_to "$gear"
		for ((i = 0; i < 20; i++)); do
			dd if=/dev/urandom of="/dev/$MD" bs=$((512 * (RANDOM % 80 + 1))) count=1 \
				seek=$((RANDOM % 150)) oflag=direct conv=notrunc status=none
		done
		take_apart "$gear"
	done
}

# What 3,8 has is in 3,5, and in raid6:4,8 with as many members.
[ -n "${RAIDPAR_WHOLE:-}" ] || LAYOUTS=('3,5' '3,5,8' 'raid6:4,8' 'raid0:2,5')
for layout in "${LAYOUTS[@]}"; do
	note "$layout"
	mkdisks "$(top_gear "$layout")" 24M
	dirty_disks
	create_par "$layout" --chunk=64
	work
	end_par
done
