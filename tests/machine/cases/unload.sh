#!/bin/bash
# The module cannot be removed while an array runs, and can be once the array has stopped, repeatedly and without a leak.
# subject: life
# stock: yes
. "$(dirname "$0")/../tools/par.sh"

mkdisks 5 24M
for ((i = 1; i <= 5; i++)); do
	create_par 3,5 --destroy-par
	refused rmmod raid-par
	assert_match "$REFUSAL" 'in use' "rmmod"
	fill 2
	shift_to 3
	refused rmmod raid-par
	stop_par
	rmmod raid-par
	[ ! -e /sys/module/raid_par ] || fail "the module is still there"
	assemble_par
	assert_eq "$(par gear)" 3 "gear after another load"
	stop_par
	rmmod raid-par
done

note "loaded and unloaded with no array between"
for ((i = 1; i <= 5; i++)); do
	modprobe raid-par
	rmmod raid-par
done
grep -qw par /proc/mdstat && fail "the level is still registered"
rmdisks
