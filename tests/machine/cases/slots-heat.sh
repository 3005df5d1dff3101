#!/bin/bash
# Heat ages each day, also while an array does not shift for days: what was read by itself on a Friday still has the heat of that on Monday, and gets a slot.
# machine: --time-travel --mem 1G
. "$(dirname "$0")/../tools/policy.sh"

RUNS=40		# that are written; a run has 4 MiB of the array

# use RUN: read a stripe of it, of all members.
use() { dd if="/dev/$MD" of=/dev/null bs=256K count=1 iflag=direct skip=$((16 * $1)) status=none; }

mkspindles 5 64M
create_shared 10 3,5 --chunk=64
wait_whole
dd if=/dev/zero of="/dev/$MD" bs=1M count=$((4 * RUNS)) oflag=direct status=none
shift_to 3
shift_to 5
# All runs with slots have the same heat from now on.
reassemble_par
set_par interval 60000
assert_eq "$(par gear) $(par slots_free) $(par hot_runs)" "5 0 $(par slots)" "gear, free slots and hot runs after a start"

note "read on a Friday, by itself"
nap 700
use 30
assert_eq "$(par hot_runs)" $(($(par slots) + 1)) "hot runs, with one that has no slot"
nap $((60 * 3600))

note "Monday: another one is used before the shift down"
use 0
shift_to 3
use 30
assert_eq "$(par gear) $(par slot_misses)" "3 0" "gear and misses of what was read on Friday"
stop_par
