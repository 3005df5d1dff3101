#!/bin/bash
# Bursts at intervals of minutes, each shorter than a spin-up, cause a shift at first but not every time, nor after a restart; load that stays is served.
# plain: yes
# machine: --debug --time-travel
# needs: raid-tracer
. "$(dirname "$0")/../tools/policy.sh"

policy_array 3,5
listen
set_par policy auto
gear_is 3 400
wait_asleep

note "eight bursts of ten seconds"
for i in {1..8}; do
	load 500 10
	nap 290
done
assert_eq "$(par gear)" 3 "gear"
assert_le "$(member 4 spin_ups)" 3 "spin-ups for eight bursts"
heard 'decision DECISION=stay REASON=brief GEAR=3 ABOUT=3'

note "the same after a restart"
reassemble_par
spin_ups=$(member 4 spin_ups)
for i in {1..3}; do
	load 500 10
	nap 290
done
assert_eq "$(par gear)" 3 "gear"
assert_eq "$(member 4 spin_ups)" "$spin_ups" "spin-ups for bursts that the policy knows"

note "load that stays"
load 500 120 &
LOAD=$!
nap 5
explains 'loads like this one have mostly ended soon; shifts up in [0-9]+ s if the load stays'
gear_is 5 60
wait "$LOAD"
gear_is 3 200
stop_par
