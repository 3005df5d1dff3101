#!/bin/bash
# When load returns, or a member fails, during a shift down by the policy, the array stays in the top gear with all data.
# machine: --debug --time-travel
# needs: raid-tracer
. "$(dirname "$0")/../tools/policy.sh"

policy_array 3,5
quick
set_par hold 0
set_par speed_min 64
set_par speed_max 64
SUM=$(fingerprint)
listen

note "load comes back"
set_par policy auto
wait_for "/sys/block/$MD/md/par/shift_state" down 60
nap 5
assert_eq "$(par shift_state)" down "shift_state"
load 300 6
heard 'decision DECISION=abandon REASON=load GEAR=5'
wait_for "/sys/block/$MD/md/par/shift_target" 5 1
settle
shifts_are 0 "after one that was abandoned"
assert_eq "$(member 4 spin_ups)" 0 "spin_ups"

note "a member fails"
wait_for "/sys/block/$MD/md/par/shift_state" down 60
mdadm --quiet "/dev/$MD" --fail "${DEVS[1]}"
wait_for "/sys/block/$MD/md/par/shift_target" 5 5
nap 60
assert_eq "$(par gear)" 5 "gear while degraded"
explains 'a member is missing'
assert_eq "$(fingerprint)" "$SUM" "content"
stop_par
