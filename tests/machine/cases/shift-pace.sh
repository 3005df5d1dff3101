#!/bin/bash
# While the array is used, segments are copied home at speed_min: the duration of each batch does not reduce the speed.
# machine: --debug --time-travel
# needs: raid-tracer
. "$(dirname "$0")/../tools/policy.sh"

KIB_S=16384
SECONDS_SEEN=4

policy_array 3,5 192M
set_par gear 3
gear_is 3 60
fill_all
set_par speed_min "$KIB_S"
load 40 60 0 &
nap 1
set_par gear 5
gear_is 5 60
wait_for "/sys/block/$MD/md/par/shift_state" propagate 30
nap 1
before=$(par propagated_bytes)
nap "$SECONDS_SEEN"
copied=$((($(par propagated_bytes) - before) / 1024 / SECONDS_SEEN))
assert_eq "$(par shift_state)" propagate "shift_state"
note "$copied KiB/s are copied; speed_min is $KIB_S"
assert_le $((KIB_S * 9 / 10)) "$copied" "KiB/s"
assert_le "$copied" $((KIB_S * 11 / 10)) "KiB/s, at most"
wait
settle
end_dissected
