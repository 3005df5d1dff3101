#!/bin/bash
# No record is replayed over what has been written past the log, in low gears and while it is drained.
# subject: log
# rare: yes
# machine: --debug --mem 1G
# timeout: 250
set -euo pipefail
. "$(dirname "$0")/../tools/par.sh"
. "$(dirname "$0")/../tools/log.sh"

# cut SEED: what is flushed is all there.
cut() {
	sync -d "/dev/$MD"
	power_cut "$1"
	assemble_par
	same "after cut $1"
}

for seed in 1 2 3; do
	mkspindles 5 64M "seed=$seed"
	create_logged 3,5 8 --chunk=64
	fill_twin
	shift_to 3
	write_some "1$seed" 200
	write_some "2$seed" 40 large
	same "in the low gear, seed $seed"
	cut "1$seed"
	# Up, while the log is drained: small and large writes of what it has.
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
	stop_par
	rmdisks
done
