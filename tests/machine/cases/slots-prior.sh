#!/bin/bash
# Reads of old data and parity for small writes are no expected misses if there is a log: under such writes the array shifts down, and its sleepers stay asleep.
# machine: --debug --time-travel
. "$(dirname "$0")/../tools/policy.sh"

mkspindles 5 96M preset=nas
LOG=16384 create_shared 10 3,5 --chunk=64
fill_all
quick
for d in 3 4; do set_member $d rated_cycles 10000000; set_member $d wanted_years 1; done
listen
nap 700	# all uses so far are of an earlier period

set_par policy auto
scatter_runs 30
assert_eq "$(par gear)" 3 "gear under small writes"
wait_asleep
scatter_runs 30
assert_eq "$(par gear) $(par slot_misses)" "3 0" "gear and misses under small writes"
[ "$(par logged)" -gt 0 ] || fail "nothing was logged"

note "a read of such a run, which is no longer logged"
set_par gear 5
gear_is 5 60
wait_for "/sys/block/$MD/md/par/log_used" 0 60
set_par policy auto
for ((n = 0; n < 30; n++)); do
	dd if="/dev/$MD" of=/dev/null bs=256K count=1 iflag=direct skip=$((16 * n + 8)) status=none
	nap 8
done
assert_eq "$(par gear)" 5 "gear under reads of runs without slots"
stop_par
