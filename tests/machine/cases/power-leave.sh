#!/bin/bash
# The runtime PM settings of a disk are restored when the array stops or the member leaves, and a sleeper stays asleep; without runtime PM, sleep is logical.
# machine: --debug --time-travel
. "$(dirname "$0")/../tools/power.sh"

# settings D: print the runtime PM settings of the disk.
settings() {
	local file
	for file in control autosuspend_delay_ms runtime_usage; do
		[ ! -e "$(pm_of "$1" $file)" ] || cat "$(pm_of "$1" $file)"
	done | tr '\n' ' '
}

power_array 3,5
stop_par
BEFORE=$(settings 4)
assemble_par

note "awake at the stop"
nap 100
stop_par
for d in 0 4; do assert_eq "$(settings $d)" "$BEFORE" "settings of disk $d"; done
assert_eq "$(disk 4 state)" idle "disk 4"

note "asleep at the stop: it goes on sleeping, and is not stopped again once it is used"
assemble_par
down
BEEN=$(starts)
stop_par
assert_eq "$(settings 4)" "$BEFORE" "settings of a sleeper"
assert_eq "$(cat "$(pm_of 4 runtime_status)")" suspended "a sleeper"
nap 200
assert_eq "$(starts)" "$BEEN" "starts"
read_disk 4
assert_eq "$(cat "$(pm_of 4 runtime_status)")" active "once it is read"
nap 200
assert_eq "$(cat "$(pm_of 4 runtime_status)")" active "and later"

note "an owner's own settings"
echo auto >"$(pm_of 4 control)"
echo 3000000 >"$(pm_of 4 autosuspend_delay_ms)"
assemble_par
down
stop_par
assert_eq "$(cat "$(pm_of 4 control)" "$(pm_of 4 autosuspend_delay_ms)" | tr '\n' ' ')" "auto 3000000 " "settings"
echo on >"$(pm_of 4 control)"
echo -1 >"$(pm_of 4 autosuspend_delay_ms)"

note "assembled in a low gear, all awake: they are stopped once they are quiet"
assemble_par
assert_eq "$(par gear)" 3 "gear"
assert_eq "$(member 4 power_state)" active "power_state"
wait_asleep
shift_to 5

note "a member that leaves"
take_out 4
assert_eq "$(settings 4)" "$BEFORE" "settings of a member that has left"
assert_eq "$(member 4 power_state)" none "power_state of an empty place"
put_in 4
assert_eq "$(member 4 power_control)" runtime "power_control"
down
stop_par
power_disks_gone

note "disks without runtime PM"
with_logical() {
	assert_eq "$(member 4 power_control)" logical "power_control"
	shift_to 3
	wait_for "/sys/block/$MD/md/par/member4/power_state" asleep
	shift_to 5
	wait_for "/sys/block/$MD/md/par/member4/power_state" active
	assert_eq "$(par spin_refused)" 0 "spin_refused"
}
with_par 3,5 32M with_logical
