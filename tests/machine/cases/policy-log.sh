#!/bin/bash
# The policy shifts up before the write log is full, names the log as the reason, and stays up until most of it is free.
# plain: yes
# machine: --debug --time-travel
# needs: raid-tracer
. "$(dirname "$0")/../tools/policy.sh"

# A log of 12 MiB, its copies not counted, so few writes fill it; none of that wakes a disk, and gear 3 is not busy.
mkspindles 5 64M preset=nas
create_par 3,5 --chunk=64 --log-size=8M
fill_all
listen
trace
set_par policy auto
gear_is 3 600
wait_asleep
assert_eq "$(par log_used)" 0 "log_used, before"

note "writes that gear 3 bears, but not its log"
load 25 90 100 &
LOAD=$!
heard 'decision DECISION=up REASON=log GEAR=5 ABOUT=5' 90
traced '.*log'
used=$(par log_used)
size=$(par log_size)
note "used $used of $size"
assert_le "$used" $((size * 4 / 5)) "log_used as the disks are started"
gear_is 5 60
wait "$LOAD"
note "$(cat "$MACHINE_TMP/load")"
wait_for "/sys/block/$MD/md/par/log_used" 0 120
gear_is 3 900
untrace
stop_par
