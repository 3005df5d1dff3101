#!/bin/bash
# A log that is much smaller than the written data is reused many times, and no data is lost, with or without a cut.
# plain: yes
. "$(dirname "$0")/../tools/log.sh"

# The array shifts up when the log is full. Shift it down again, as the policy would.
write_much() {
	local i
	for i in 1 2 3; do
		write_some "$1$i" 400
		shift_to 3
	done
}

for seed in 1 2; do
	on_log 3,5 4 64M "seed=$seed"
	write_much "$seed"
	[ "$(par logged)" -gt "$(par log_size)" ] || fail "seed $seed: $(par logged) of $(par log_size)"
	[ "$(par drained)" -gt 0 ] || fail "seed $seed: nothing was drained"
	note "logged $(par logged), drained $(par drained), used $(par log_used)"
	same "before the cut, seed $seed"
	flushed_crash "$seed"
	note "replayed $(par log_replayed)"
	same "after the cut, seed $seed"
	write_much "1$seed"
	same "after more, seed $seed"
	shift_to 5
	wait_for "/sys/block/$MD/md/par/log_used" 0
	no_mismatch
	same "in the top gear, seed $seed"
	end_par
done
