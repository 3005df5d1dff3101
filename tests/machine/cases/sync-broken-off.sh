#!/bin/bash
# Checks, repairs and rebuilds that are interrupted at once, and started again, leave data and parity right.
# RAIDPAR_WHOLE=1: twice as often.
. "$(dirname "$0")/../tools/par.sh"

ROUNDS=$((${RAIDPAR_WHOLE:-0} ? 4 : 2))	# of checks and repairs, and one and a half times as many of rebuilds

# ask ACTION: request a sync; md refuses it while the last one is ending.
ask() { { echo "$1" >"/sys/block/$MD/md/sync_action"; } 2>/dev/null || true; }

# begin_and_break ACTION: interrupt the sync as early as possible, and a little later.
begin_and_break() {
	local pause
	for pause in 0 0 0.002 0.005 0.01 0.02 0.05; do
		ask "$1"
		nap "$pause"
		ask idle
	done
}

all_fits() {
	local mark
	mark=$(dmesg | wc -l)
	wait_for "/sys/block/$MD/md/sync_action" idle
	no_mismatch
	! dmesg | tail -n +$((mark + 1)) | grep 'mismatch sector' || fail "a stripe with wrong parity"
}

broken_off() {
	local sum i
	fill 40
	shift_to "$(low_gear "$LAYOUT")"
	fill 10 20
	shift_to "$(top_gear "$LAYOUT")"
	sum=$(fingerprint)
	for ((i = 0; i < ROUNDS; i++)); do
		begin_and_break check
		begin_and_break repair
		all_fits
	done
	assert_eq "$(fingerprint)" "$sum" "content after checks and repairs"

	for ((i = 0; i < ROUNDS * 3 / 2; i++)); do
		mdadm --fail "/dev/$MD" "${DEVS[1]}" 2>/dev/null
		detached 1
		mdadm --remove "/dev/$MD" "${DEVS[1]}" 2>/dev/null
		mdadm --zero-superblock "${DEVS[1]}"
		dd if=/dev/urandom of="${DEVS[1]}" bs=1M count=32 oflag=direct conv=notrunc status=none
		mdadm --add "/dev/$MD" "${DEVS[1]}" 2>/dev/null
		begin_and_break recover
		wait_for "/sys/block/$MD/md/degraded" 0
		all_fits
		assert_eq "$(fingerprint)" "$sum" "content after rebuild $i"
	done
	stop_par
	dissect
	assemble_par
}

for layout in 3,5 raid6:4,6; do
	with_par "$layout" 64M broken_off --chunk=64
done
