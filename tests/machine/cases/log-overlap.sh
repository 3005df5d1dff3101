#!/bin/bash
# Of two successive overlapping writes, one to the log and one past it, the later one counts, with or without a cut, and the disks agree.
# rare: yes
. "$(dirname "$0")/../tools/log.sh"

pairs() { "$TOOLS/log_pairs.py" "$1" "/dev/$MD" "$MACHINE_TMP/pairs" "${@:2}"; }

right() {
	echo 3 >/proc/sys/vm/drop_caches
	pairs check || fail "$1"
}

mkspindles 5 64M seed=7
create_logged 3,5 32 --chunk=64
fill 8
for seed in 1 2 3; do
	shift_to 3
	pairs write "$seed" 45	# three threads: most of the log, but not all of it, or the array shifts up
	right "in the low gear, seed $seed"
	# A check in the low gear reads the sets, not the log, and finds all parity right.
	[ "$(par log_live)" -gt 0 ] || fail "nothing is live"
	no_mismatch
	crash "1$seed"
	right "after a cut, seed $seed"
	dd if="/dev/$MD" of="$MACHINE_TMP/content" bs=1M iflag=direct status=none
	stop_par
	note "$(dissect --compare "$MACHINE_TMP/content" --expect-gear 3)"
	assemble_par
	shift_to 3
	pairs write "2$seed" 40 &
	nap 0.5
	echo 5 >"/sys/block/$MD/md/par/gear"
	wait $!
	right "while it is drained, seed $seed"
	crash "2$seed"
	right "after a cut while it is drained, seed $seed"
	wait_for "/sys/block/$MD/md/par/resync" none 120
done
no_mismatch
stop_par
