#!/bin/bash
# A shift down whose zeros for evicted slots are limited by speed_max evicts no more runs than get zeros in time: the others keep their images.
# machine: --time-travel --mem 2G
. "$(dirname "$0")/../tools/policy.sh"

RUNS=70		# that are written; a run has 4 MiB of the array

# use RUN: read a stripe of it, of all members.
use() { dd if="/dev/$MD" of=/dev/null bs=256K count=1 iflag=direct skip=$((16 * $1)) status=none; }

mkspindles 5 128M
create_shared 25 3,5 --chunk=64
wait_whole
dd if=/dev/zero of="/dev/$MD" bs=1M count=$((4 * RUNS)) oflag=direct status=none
shift_to 3
held=$(($(par slots) - $(par slots_free)))
for ((run = 0; run < held; run++)); do use "$run"; done
assert_eq "$(par gear) $(par slot_misses)" "3 0" "gear and misses of the runs with slots"

note "as many others are twice as hot, and there is time for zeros for some"
shift_to 5
for i in 1 2; do
	nap 700
	for ((run = RUNS - held; run < RUNS; run++)); do use "$run"; done
done
set_par speed_min 1024
set_par speed_max 2048	# a slot has 2 MiB
set_par fill_time 20
set_par gear 3
gear_is 3 200
settle
for ((run = held - 1; run > held / 2; run--)); do use "$run"; done
assert_eq "$(par gear) $(par slot_misses)" "3 0" "gear and misses of the runs that keep their slots"
for ((run = RUNS - held; run < RUNS - held + 8; run++)); do use "$run"; done
assert_eq "$(par gear) $(par slot_misses)" "3 0" "gear and misses of the hottest runs"
for ((; run < RUNS; run++)); do use "$run"; done
gear_is 5 60
[ "$(par slot_misses)" -gt 0 ] || fail "zeros were not slow: all runs have slots"
stop_par
