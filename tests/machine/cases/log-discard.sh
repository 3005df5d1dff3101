#!/bin/bash
# A discard removes only whole stripes from the log, and data that is written afterwards stays.
# plain: yes
. "$(dirname "$0")/../tools/log.sh"

# discard OFFSET LENGTH: discard a range of the array. In the file the range becomes zeros if it is whole stripes.
discard() {
	blkdiscard -o "$1" -l "$2" "/dev/$MD"
	echo 3 >/proc/sys/vm/drop_caches
	[ $(($1 % STRIPE + $2 % STRIPE)) -gt 0 ] ||
		dd if=/dev/zero of="$TWIN" bs=64k seek=$(($1 >> 16)) count=$(($2 >> 16)) conv=notrunc status=none
}

# write_mib SEED: overwrite the second MiB.
write_mib() {
	head -c 1048576 /dev/urandom >"$MACHINE_TMP/mib"
	dd if="$MACHINE_TMP/mib" of="/dev/$MD" bs=1M seek=1 oflag=direct status=none
	dd if="$MACHINE_TMP/mib" of="$TWIN" bs=1M seek=1 conv=notrunc status=none
}

work() {
	STRIPE=$((65536 * ($(top_gear "$LAYOUT") - $(parities "$LAYOUT"))))
	fill_twin
	shift_to "$(low_gear "$LAYOUT")"
	write_some 1 400
	[ "$(par log_live)" -gt 0 ] || fail "$LAYOUT: nothing is live"
	discard $((4 * STRIPE)) $((4 * STRIPE))
	same "whole stripes are discarded"
	# Ranges of less than a stripe, some of which begin or end within a block or are adjacent.
	discard $((5 << 20)) 4096
	discard $((512 * 10241)) 512
	discard $(((6 << 20) + 1536)) 9216
	same "parts of stripes are discarded"
	write_some 2 200
	same "written after it"
	discard 0 $((8 << 20))
	same "all of it is discarded"
	write_some 3 200
	write_mib
	sync -d "/dev/$MD"
	shift_to "$(top_gear "$LAYOUT")"
	wait_for "/sys/block/$MD/md/par/log_used" 0
	same "drained"
	no_mismatch
	# A discard while the log is drained.
	shift_to "$(low_gear "$LAYOUT")"
	write_some 4 400
	top_gear "$LAYOUT" >"/sys/block/$MD/md/par/gear"
	discard $((8 * STRIPE)) $((4 * STRIPE))
	discard 0 $((2 * STRIPE))
	same "discarded while it is drained"
	write_some 5 100
	wait_for "/sys/block/$MD/md/par/log_used" 0
	same "written while it is drained"
	stop_par
	assemble_par
	same "after a stop"
	no_mismatch
}

for layout in 3,5 raid6:4,6 raid0:2,4; do
	note "$layout"
	mkspindles "$(top_gear "$layout")" 64M seed=5
	create_logged "$layout" 16 --chunk=64
	work
	end_par
done
