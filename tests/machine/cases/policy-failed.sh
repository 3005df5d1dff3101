#!/bin/bash
# A shift down that fails because of an unreadable block is retried after 10 s, 20 s and so on, and explain says so.
# machine: --debug --time-travel
# needs: raid-tracer
. "$(dirname "$0")/../tools/policy.sh"

policy_array raid0:2,5
quick
echo "read 12000 8" >"$SPINDLES/${DISKS[4]}/errors"
mark_log
set_par policy auto
nap 400
assert_eq "$(par gear)" 5 "gear"
FAILED=$(log_since | grep -c 'cannot shift to gear 2')
note "$FAILED times; $(par explain)"
assert_le 3 "$FAILED" "attempts to shift down"
assert_le "$FAILED" 6 "attempts to shift down"
explains 'gear 2 is called for, but the last shift to it has failed; retrying in [0-9]+ s'
echo clear >"$SPINDLES/${DISKS[4]}/errors"
gear_is 2 700
stop_par
