#!/bin/bash
# The speed of a check, and what it still has to read, leave out space that was never written.
# machine: --time-travel
. "$(dirname "$0")/../tools/par.sh"

md() { cat "/sys/block/$MD/md/$1"; }

on_spindles 3,5 8G
# 32 MiB of each member at the beginning, and far behind it.
fill 128
fill 128 8192
settle
assert_eq "$(par sync_left_kib)" none "sync_left_kib without a check"
set_sync sync_speed_max 1024
set_sync sync_speed_min 1024
echo check >"/sys/block/$MD/md/sync_action"
sync_at 1
ALL=$(par sync_left_kib)
WRITTEN=$(($(par rows_written) * $(par segment_kib)))
assert_le "$WRITTEN" 68000 "KiB of a member at home"
assert_le "$ALL" "$WRITTEN" "KiB to read"
LEFT=$ALL
while [ "$LEFT" -gt 4096 ]; do
	nap 3
	assert_le "$(md sync_speed)" 4096 "KiB/s at $(md sync_completed)"
	assert_le "$(par sync_left_kib)" $((LEFT - 1024)) "KiB left after 3 s, at $(md sync_completed)"
	assert_le $((LEFT - 6144)) "$(par sync_left_kib)" "KiB left after 3 s, at $(md sync_completed), in the other direction"
	LEFT=$(par sync_left_kib)
done
set_sync sync_speed_max 1000000
set_sync sync_speed_min 1000000
wait_for "/sys/block/$MD/md/sync_action" idle
assert_eq "$(par sync_left_kib)" none "sync_left_kib after a check"
assert_eq "$(md mismatch_cnt)" 0 "mismatches"
end_par
