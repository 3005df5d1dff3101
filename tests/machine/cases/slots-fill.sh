#!/bin/bash
# If zeros for evicted slots take long, a shift down keeps its reserve of free slots, fills for half of fill_time at least, and in the shortest fill_time still evicts a slot.
# machine: --time-travel --mem 2G
. "$(dirname "$0")/../tools/policy.sh"

RUNS=70		# that are written; a run has 4 MiB of the array

# use RUN: read a stripe of it, of all members. start_row RUN: write to a row that was not written before.
use() { dd if="/dev/$MD" of=/dev/null bs=256K count=1 iflag=direct skip=$((16 * $1)) status=none; }
start_row() { dd if=/dev/urandom of="/dev/$MD" bs=4K count=1 oflag=direct seek=$((1024 * $1)) status=none; }

down() { set_par gear 3; gear_is 3 200; }

mkspindles 5 128M
create_shared 25 3,5 --chunk=64
wait_whole
dd if=/dev/zero of="/dev/$MD" bs=1M count=$((4 * RUNS)) oflag=direct status=none
shift_to 3
reserve=$(par slots_free)
held=$(($(par slots) - reserve))
[ "$reserve" -gt 1 ] || fail "a reserve of $reserve of $(par slots) slots"

note "as many runs without slots are used twice: all $held slots would have to be evicted"
shift_to 5
first=$((RUNS - held))
[ "$first" -ge "$held" ] || fail "some of these runs have slots"
for i in 1 2; do
	nap 700
	for ((run = first; run < RUNS; run++)); do use "$run"; done
done
set_par fill_time 20
slow_disks 1000000	# zeros for a slot take a second and more, as its fill
ms_of down
slow_disks 0
settle
note "the shift took $MS ms"
# What remains is the stores and the last passes.
assert_le "$MS" 32000 "ms of a shift with zeros for half of 20 s"
assert_eq "$(par slots_free)" "$reserve" "free slots, the reserve"

note "rows that are started asleep"
for ((i = 0; i < reserve; i++)); do start_row $((RUNS + 1 + i)); done
assert_eq "$(par gear) $(par slots_free) $(par slot_misses)" "3 0 0" "gear, free slots and misses"

note "the hottest runs"
for ((run = first; run < first + 4; run++)); do use "$run"; done
assert_eq "$(par gear) $(par slot_misses)" "3 0" "gear and misses of what was filled first"
use $((RUNS - 1))
gear_is 5 60
[ "$(par slot_misses)" -gt 0 ] || fail "zeros were not slow: all runs have slots"

note "the shortest fill_time, and no slot free"
settle
assert_eq "$(par slots_free)" 0 "free slots"
set_par fill_time 1
slow_disks 1000000
down
slow_disks 0
assert_eq "$(par slots_free)" 1 "free slots, evicted in the shortest fill_time"
stop_par
