#!/bin/bash
# The process that wakes a sleeper by a request to the disk is named and counted, and the sleeper goes back to sleep.
# machine: --debug --time-travel
. "$(dirname "$0")/../tools/power.sh"

# woken CAUSE SPIN_UPS: member 4 has been woken for this cause, and then sleeps again.
woken() {
	assert_match "$(member 4 last_wake_cause)" "$1" "cause"
	assert_eq "$(member 4 spin_ups)" "$2" "spin_ups"
	assert_eq "$(disk 4 starts)" "$2" "starts of the disk"
	assert_eq "$(par gear)" 3 "gear"
	assert_eq "$(member 4 asleep)" 1 "asleep, as the gear says"
	assert_le "$(member 4 last_wake)" "$EPOCHSECONDS" "last_wake"
	assert_le $((EPOCHSECONDS - 40)) "$(member 4 last_wake)" "last_wake"
}

power_array 3,5
down
assert_eq "$(member 4 last_wake_cause)" none "cause to begin with"
assert_eq "$(member 4 last_wake)" 0 "last_wake to begin with"
set_par stop_after 30

note "dd"
mark_log
LEFT=$(member 4 spins_left)
ms_of read_disk 4
assert_le "$UP_MS" "$MS" "ms of a read"
assert_le "$MS" $((UP_MS + 500)) "ms of a read"
woken '^process dd\[[0-9]+\]$' 1
assert_eq "$(member 4 spins_left)" $((LEFT - 1)) "spins_left"
assert_match "$(log_since)" "member 4 \\(${DISKS[4]}\\) was woken: process dd\\[" "log"
nap 20
assert_eq "$(member 4 power_state)" active "20 s later"
read_disk 4	# the disk is in use, so it is not stopped 30 s after the first read
nap 20
assert_eq "$(member 4 power_state)" active "20 s after another read"
wait_stopped 4

note "mdadm --examine"
mdadm --examine "${DEVS[4]}" >/dev/null
woken '^process mdadm\[[0-9]+\]$' 2
wait_stopped 4

note "a write by somebody else, to where nothing is"
dd if=/dev/zero of="${DEVS[4]}" bs=4k count=1 seek=1000 oflag=direct status=none
woken '^process dd\[[0-9]+\]$' 3
wait_stopped 4

note "a process whose name has a line end in it"
ODD=$(mktemp -d)/$'d\nPAR_X=1'
cp "$(command -v dd)" "$ODD"
"$ODD" if="${DEVS[4]}" of=/dev/null bs=4k count=1 iflag=direct status=none
woken '^process d\?PAR_X=1\[[0-9]+\]$' 4
wait_stopped 4

note "up from there, and the data are right"
fill 1 2
SUM=$(fingerprint)
shift_to 5
assert_eq "$(member 4 spin_ups)" 5 "spin_ups"
assert_match "$(member 4 last_wake_cause)" '^gear ' "cause"
assert_eq "$(fingerprint)" "$SUM" "content"

note "used by somebody else: it is asked again"
echo on >"$(pm_of 4 control)"
mark_log
shift_to 3
wait_stopped 3
nap 600
assert_eq "$(member 4 power_state)" active "while it is used"
assert_eq "$(grep -c 'cannot be stopped' < <(log_since))" 1 "lines in the log"
echo auto >"$(pm_of 4 control)"
wait_stopped 4
assert_eq "$(member 4 spin_ups)" 5 "spin_ups"
stop_par
