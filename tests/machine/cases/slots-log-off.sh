#!/bin/bash
# While the log is off, writes and their reads of old data and parity are expected misses: under such writes the array stays up. When it is on again, and after a start, it shifts down.
# machine: --debug --time-travel
. "$(dirname "$0")/../tools/policy.sh"

# begin: an array with data in all runs, the policy has seen nothing for a while, and its log is empty.
begin() {
	mkspindles 5 96M preset=nas
	LOG=16384 create_shared 10 3,5 --chunk=64
	fill_all
	quick
	for d in 3 4; do set_member $d rated_cycles 10000000; set_member $d wanted_years 1; done
	listen
}

begin
size=$(par log_size)
set_par log_size 0
for when in "switched off" "off since the start"; do
	note "$when"
	nap 700	# all uses so far are of an earlier period
	set_par policy auto
	scatter_runs 20
	assert_eq "$(par gear) $(par slot_misses) $(par logged)" "5 0 0" "gear, misses and bytes logged under small writes"
	set_par policy manual
	[ "$when" = "switched off" ] || break
	reassemble_par
done

note "on again"
set_par log_size "$size"
nap 700
set_par policy auto
scatter_runs 30
assert_eq "$(par gear)" 3 "gear under small writes"
[ "$(par logged)" -gt 0 ] || fail "nothing was logged"
stop_par
