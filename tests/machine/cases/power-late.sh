#!/bin/bash
# A member that is slow to wake is not failed, and a start that returns an error is retried; a member that never wakes is failed after twice its time-out.
# machine: --debug --time-travel
. "$(dirname "$0")/../tools/power.sh"

NEVER=18446744073709551615

power_array 3,5

note "30 s, with a time-out of 20"
set_par wake_timeout 20
asleep 1
set_disk 4 spin_up_ms 30000
mark_log
ms_of up
assert_le 30000 "$MS" "ms"
assert_le "$MS" 30999 "ms"
mdstat_is 5 slow
assert_match "$(log_since)" 'member 4 \(spin4\) has not woken up in 20 s' "log"
settle
assert_eq "$(fingerprint)" "$SUM" "content"
set_disk 4 spin_up_ms 15000

note "two starts return an error"
asleep 2
set_disk 4 fail_start_ms 3000
set_disk 4 fail_starts 2
ms_of up
assert_le 21000 "$MS" "ms"
assert_le "$MS" 28999 "ms"
mdstat_is 5 "two errors"
assert_eq "$(member 4 spin_ups)" 2 "spin_ups"
settle
assert_eq "$(fingerprint)" "$SUM" "content"

# lost MS: member 4 has failed after twice 20 s, and not earlier.
lost() {
	assert_le 40000 "$1" "ms until it is failed"
	assert_le "$1" 46999 "ms until it is failed"
	mdstat_is 4 lost
	assert_eq "$(par gear)" 5 "gear"
	settle
	assert_eq "$(fingerprint)" "$SUM" "content without it"
	fill 1 3
	SUM=$(fingerprint)
}

# back: the member is removed, works again, and is rebuilt.
back() {
	# The member keeps its place until the call that starts its device has returned.
	wait_for "/sys/block/$MD/md/dev-spin4/slot" none 320
	mdadm --quiet "/dev/$MD" --remove /dev/spin4
	assert_eq "$(fingerprint)" "$SUM" "content after it is removed"
	set_disk 4 fail_starts 0
	set_disk 4 spin_up_ms 15000
	rejoin 4
}

note "each start returns an error"
asleep 1
set_disk 4 fail_starts $NEVER
ms_of up
lost "$MS"
back

note "it does not answer at all, for minutes"
asleep 2
set_disk 4 spin_up_ms 300000
ms_of up
lost "$MS"
ms_of back
assert_le "$MS" 320000 "ms until it is back"

note "a stop of the array during a member's start waits for the start"
asleep 1
set_disk 4 spin_up_ms 100000
set_par gear 5
nap 5
ms_of stop_par
assert_le "$MS" 96000 "ms of a stop"
set_disk 4 spin_up_ms 15000
assemble_par
assert_eq "$(fingerprint)" "$SUM" "content after a stop"
mdstat_is 5 "assembled again"

note "and failing it does not wait"
asleep 3
set_disk 4 spin_up_ms 100000
set_par gear 5
nap 5
ms_of mdadm --quiet "/dev/$MD" --fail /dev/spin4
assert_le "$MS" 1000 "ms of --fail"
ms_of gear_is 5
assert_le "$MS" 15000 "ms of the shift without it"
assert_eq "$(fingerprint)" "$SUM" "content without it"
wait_for "/sys/block/$MD/md/dev-spin4/slot" none 120
ms_of mdadm --quiet "/dev/$MD" --remove /dev/spin4
assert_le "$MS" 1000 "ms of --remove"
stop_par
