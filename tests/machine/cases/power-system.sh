#!/bin/bash
# Sleepers that the system's resume has started go back to sleep and are counted, without a cost to the budget; the array works.
# machine: --debug --time-travel
. "$(dirname "$0")/../tools/power.sh"

[ -w /sys/power/pm_test ] || skip "this kernel cannot test system sleep"

# sleep_once: suspend all devices; the system resumes them 5 s later.
sleep_once() {
	echo devices >/sys/power/pm_test
	echo freeze >/sys/power/state
}

power_array 3,5
down
fill 1 1
SUM=$(fingerprint)
LEFT=$(member 4 spins_left)

note "sleepers"
sleep_once
wait_asleep
for d in 3 4; do
	assert_eq "$(member $d spin_ups)" "$(disk $d starts)" "spin_ups of member $d"
	assert_eq "$(member $d spin_ups)" 1 "spin_ups of member $d"
	assert_eq "$(member $d last_wake_cause)" resume "cause of member $d"
	assert_eq "$(member $d spins_left)" "$LEFT" "spins_left of member $d"
done
assert_eq "$(par gear)" 3 "gear"
assert_eq "$(fingerprint)" "$SUM" "content"

note "in the top gear all are awake afterwards"
shift_to 5
sleep_once
nap 60
for d in 3 4; do
	assert_eq "$(member $d power_state)" active "member $d"
	assert_eq "$(disk $d state)" idle "disk $d"
done
assert_eq "$(fingerprint)" "$SUM" "content"
down
stop_par
