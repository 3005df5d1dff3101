#!/bin/bash
# The policy keeps the last spin-up in reserve in the low gear; with none left it does not shift down, and says so, until the next day.
# plain: yes
# machine: --debug --time-travel
# needs: raid-tracer
. "$(dirname "$0")/../tools/policy.sh"

policy_array 3,5
quick
for d in 3 4; do set_member $d rated_cycles 730; set_member $d wanted_years 1; done
set_par carry 0
listen
set_par policy auto
gear_is 3 200
wait_asleep
# Long enough that the shift counts as worthwhile.
nap 200
load 300 60 &
LOAD=$!
gear_is 5 30
wait "$LOAD"
gear_is 3 200
wait_asleep
assert_eq "$(member 4 spins_left)" 1 "spins_left"

note "the last one is kept, and the array is where it uses least"
nap 200
load 300 60 &
LOAD=$!
heard 'decision DECISION=stay REASON=spare GEAR=3' 20
explains 'few spin-ups are left, 1 for the next [0-9]+ s; shifts up in [0-9]+ s if the load stays'
wait "$LOAD"
nap 60
assert_eq "$(par gear)" 3 "gear"

note "the user takes it"
set_par gear 5
gear_is 5 60
assert_eq "$(member 4 spins_left)" 0 "spins_left"
heard 'decision DECISION=stay REASON=budget GEAR=5 ABOUT=3' 200
explains 'gear 3 would be enough, but its sleepers have no spin-ups left for [0-9]+ s'
nap 3000
assert_eq "$(grep -c 'REASON=budget' "$MACHINE_TMP/events")" 1 "events in an hour"
shifts_are 4 "without a spin-up left"
assert_eq "$(par spin_refused)" 0 "shifts that were deferred"

note "the next day"
date -s "@$((EPOCHSECONDS + 86400))" >/dev/null
gear_is 3 60
shifts_are 5 "the next day"
stop_par
