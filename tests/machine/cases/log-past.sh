#!/bin/bash
# No record is replayed over newer data that was written past the log, in low gears and during a drain.
# plain: yes
# RAIDPAR_WHOLE=1: two more arrays.
. "$(dirname "$0")/../tools/log.sh"

# cut SEED: flush, cut the power, and compare all data.
cut() {
	flushed_crash "$1"
	same "after cut $1"
}

SEEDS=(1)
[ -z "${RAIDPAR_WHOLE:-}" ] || SEEDS+=(2 3)
for seed in "${SEEDS[@]}"; do
	on_log 3,5 8 64M "seed=$seed"
	write_some "1$seed" 200
	write_some "2$seed" 40 large
	same "in the low gear, seed $seed"
	cut "1$seed"
	# During the drain of a shift up: small and large writes to blocks that are in the log.
	write_some "3$seed" 100
	echo 5 >"/sys/block/$MD/md/par/gear"
	write_some "4$seed" "$((40 * seed))" large
	note "logged $(par logged), drained $(par drained), used $(par log_used)"
	cut "2$seed"
	write_some "5$seed" 40 large
	wait_for "/sys/block/$MD/md/par/log_used" 0
	write_some "6$seed" 40 large
	cut "3$seed"
	assert_eq "$(par log_replayed)" 0 "records of a log that is drained"
	wait_for "/sys/block/$MD/md/par/resync" none 120
	no_mismatch
	end_par
done
