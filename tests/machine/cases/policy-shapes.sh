#!/bin/bash
# Under loads of many shapes the array is in the gear that each needs, and no constant load causes a second shift.
# plain: yes
# machine: --debug --time-travel
# needs: raid-tracer
# timeout: 400
. "$(dirname "$0")/../tools/policy.sh"

# in_gear GEAR SECONDS: the array reaches the gear within SECONDS.
in_gear() { gear_is "$1" "$2"; }

policy_array 3,5
quick
listen
trace
set_par policy auto

note "nothing to do"
in_gear 3 60
heard 'decision DECISION=down REASON=quiet GEAR=3 ABOUT=3'
wait_asleep
shifts_are 1 "when there is nothing to do"
traced 'gear=5 target=5 decided=5 reason=unseen about=3 '
traced 'gear=5 target=5 decided=3 reason=quiet about=3'
traced 'gear=3 target=3 decided=3 reason=lowest about=3 seconds=0 busy=0\+0 about_busy=0\+0'
explains 'gear 3 of 5, 0\.0% .* busy: no lower gear exists; shifts up above 20% busy'

note "a constant load that gear 3 can serve"
load 6 120 30
shifts_are 1 "with a load that is borne"

note "a step"
load 250 30 &
LOAD=$!
in_gear 5 18
heard 'decision DECISION=up REASON=load GEAR=5'
traced 'gear=3 target=3 decided=5 reason=load about=5 seconds=0 busy=[0-9]{3,4}\+[0-9]+ '
untrace
assert_match "$(member 4 last_wake_cause)" policy "cause"
wait "$LOAD"
shifts_are 2 "after a step"

note "on and off, faster than the windows"
for _ in 1 2 3 4 5 6; do load 250 5; nap 10; done
shifts_are 2 "on and off"
assert_eq "$(par gear)" 5 "gear"

note "a constant load that needs gear 5"
load 100 60
shifts_are 2 "with a constant load"

note "fading away"
for rate in 60 30 10 4; do load $rate 20; done
in_gear 3 60
shifts_are 3 "after it has faded away"
end_dissected
