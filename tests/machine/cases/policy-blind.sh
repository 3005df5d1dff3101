#!/bin/bash
# Without the block layer's statistics the policy does not shift down, and explain says so; once they are back, the policy observes anew before it shifts.
# plain: yes
# machine: --debug --time-travel
# needs: raid-tracer
. "$(dirname "$0")/../tools/policy.sh"

policy_array 3,5
quick
set_par hold 60
listen
set_par policy auto
nap 50
explains 'is enough .* and is shifted to in'
echo 0 >"/sys/block/$MD/queue/iostats"
load 300 200 &
LOAD=$!
nap 150
assert_eq "$(par gear)" 5 "gear, under a load that is not counted"
explains 'nothing is known of the load, as queue/iostats .* is 0: does not shift down'
heard 'decision DECISION=stay REASON=blind GEAR=5 ABOUT=3' 10
echo 1 >"/sys/block/$MD/queue/iostats"
nap 3
explains 'is not considered before 30 intervals have been measured'
wait "$LOAD"
gear_is 3 200
stop_par
