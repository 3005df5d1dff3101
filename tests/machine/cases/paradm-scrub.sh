#!/bin/bash
# On a real array paradm scrub begins, limits, pauses and continues checks, or runs them only while all disks are awake.
# plain: yes
# needs: paradm
. "$(dirname "$0")/../tools/paradm.sh"

sync_file() { cat "/sys/block/$MD/md/$1"; }

on_spindles 3,5 48M
fill 16

note "checks: paused, limited, and only while all disks are awake"
ask 0 scrub limit 300
says 'the check has started$' scrub start
says 'already$' scrub start
refuses 6 'a check is running' shift 3
wait_for "/sys/block/$MD/md/sync_completed" '[1-9]* / *' 60
says 'the check is paused' scrub pause
wait_for "/sys/block/$MD/md/sync_action" idle 60
assert_ne "$(sync_file sync_min)" 0 "where the next check begins"
says 'continues from where' scrub start
ask 0 scrub limit none
wait_for "/sys/block/$MD/md/sync_action" idle 60
assert_eq "$(sync_file mismatch_cnt)" 0 "mismatches"
says '' policy set interval=100 window_short=1 window_long=2 hold=0 break_even=0 up_threshold=70 down_threshold=50
ask 0 scrub limit 300
"$PARADM" scrub start --when-awake >"$MACHINE_TMP/scrub" 2>&1 &
wait_for "/sys/block/$MD/md/sync_action" check 60
says '' policy set policy=auto
wait_for "/sys/block/$MD/md/par/gear" 3 200
assert_eq "$(sync_file sync_action)" idle "sync_action of an array that has shifted down"
ask 0 scrub limit none
ask 0 pin set top
wait "$!" || fail "paradm scrub start --when-awake: $(cat "$MACHINE_TMP/scrub")"
assert_eq "$(cat "$MACHINE_TMP/scrub")" "md0: the check is done" "paradm scrub start --when-awake"
ask 0 pin end
ask 0 policy set policy=manual
stop_par
