#!/bin/bash
# If zeros for evicted slots take long, or speed_max limits them, a shift down evicts only runs that get zeros in time, keeps its reserve of free slots, and in the shortest fill_time still evicts a slot. Heat ages each day, also while an array does not shift.
# machine: --time-travel
. "$(dirname "$0")/../tools/policy.sh"

# begin SIZE SHARE RUNS: an array of which so many runs are written; a run has 4 MiB of the array.
begin() {
	RUNS=$3
	mkspindles 5 "$1"
	create_shared "$2" 3,5 --chunk=64
	wait_whole
	dd if=/dev/zero of="/dev/$MD" bs=1M count=$((4 * RUNS)) oflag=direct status=none
	shift_to 3
}

# use RUN [END]: read a stripe of it, of all members; or of each run before END. start_row RUN: write to a row that was not
# written before.
use() {
	local run
	for ((run = $1; run < ${2:-$1 + 1}; run++)); do
		dd if="/dev/$MD" of=/dev/null bs=256K count=1 iflag=direct skip=$((16 * run)) status=none
	done
}
start_row() { dd if=/dev/urandom of="/dev/$MD" bs=4K count=1 oflag=direct seek=$((1024 * $1)) status=none; }

# twice_as_hot: as many other runs as have slots are used twice.
twice_as_hot() {
	shift_to 5
	for _ in 1 2; do
		nap 700
		use $((RUNS - held)) "$RUNS"
	done
}

down() { set_par gear 3; gear_is 3 200; }
no_misses() { assert_eq "$(par gear) $(par slot_misses)" "3 0" "gear and misses of $1"; }
missed() {
	gear_is 5 60
	[ "$(par slot_misses)" -gt 0 ] || fail "zeros were not slow: all runs have slots"
}

# All slots would have to be evicted.
slow_zeros() {
	local reserve i
	begin 128M 25 70
	reserve=$(par slots_free)
	held=$(($(par slots) - reserve))
	[ "$reserve" -gt 1 ] || fail "a reserve of $reserve of $(par slots) slots"
	[ $((RUNS - held)) -ge "$held" ] || fail "some of these runs have slots"
	twice_as_hot
	set_par fill_time 20
	slow_disks 1000000	# zeros for a slot take a second and more, as its fill
	ms_of down
	slow_disks 0
	settle
	note "the shift took $MS ms"
	# What remains is the stores and the last passes, a second and more each. All zeros would take minutes.
	assert_le "$MS" 40000 "ms of a shift with zeros for half of 20 s"
	assert_eq "$(par slots_free)" "$reserve" "free slots, the reserve"

	note "rows that are started asleep"
	for ((i = 0; i < reserve; i++)); do start_row $((RUNS + 1 + i)); done
	assert_eq "$(par gear) $(par slots_free) $(par slot_misses)" "3 0 0" "gear, free slots and misses"
	use $((RUNS - held)) $((RUNS - held + 4))
	no_misses "what was filled first"
	use $((RUNS - 1))
	missed

	note "the shortest fill_time, and no slot free"
	settle
	assert_eq "$(par slots_free)" 0 "free slots"
	set_par fill_time 1
	slow_disks 1000000
	down
	slow_disks 0
	assert_eq "$(par slots_free)" 1 "free slots, evicted in the shortest fill_time"
}

limited_zeros() {
	begin 128M 25 70
	held=$(($(par slots) - $(par slots_free)))
	use 0 "$held"
	no_misses "the runs with slots"
	twice_as_hot
	set_par speed_min 1024
	set_par speed_max 2048	# a slot has 2 MiB
	set_par fill_time 20
	down
	settle
	use $((held / 2 + 1)) "$held"
	no_misses "the runs that keep their slots"
	use $((RUNS - held)) $((RUNS - held + 8))
	no_misses "the hottest runs"
	use $((RUNS - held + 8)) "$RUNS"
	missed
}

# What was read by itself on a Friday still has the heat of that on Monday, and gets a slot.
weekend() {
	begin 64M 10 40
	shift_to 5
	# All runs with slots have the same heat from now on.
	reassemble_par
	set_par interval 60000
	assert_eq "$(par gear) $(par slots_free) $(par hot_runs)" "5 0 $(par slots)" "gear, free slots and hot runs after a start"
	nap 700
	use 30
	assert_eq "$(par hot_runs)" $(($(par slots) + 1)) "hot runs, with one that has no slot"
	nap $((60 * 3600))
	use 0
	shift_to 3
	use 30
	no_misses "what was read on Friday"
}

for part in slow_zeros limited_zeros weekend; do
	note "$part"
	"$part"
	end_par
done
