#!/bin/bash
# The policy does not count propagation, checks and rebuilds as load, and no member is put to sleep during a sync.
# machine: --debug --time-travel
# rare: yes
# needs: raid-tracer
. "$(dirname "$0")/../tools/policy.sh"

# sync_speed KIB: limit syncs to KIB per second, also those of the sets.
sync_speed() {
	echo "$1" >/proc/sys/dev/raid/speed_limit_min
	echo "$1" >/proc/sys/dev/raid/speed_limit_max
}

# idle_but_busy SECONDS WHAT: the members are busy, and the policy sees no load. The file is
# read more than once per interval: reads in step with the ticks can miss every other interval.
idle_but_busy() {
	local most=0 now i
	for ((i = 0; i < $1 * 4; i++)); do
		now=$(member 0 busy_percent)
		now=$((10#${now/./}))
		[ "$now" -le "$most" ] || most=$now
		explains ' 0\.0% \+/- 0\.0% busy'
		nap 0.25
	done
	assert_le 200 "$most" "load of member 0 in hundredths of a percent, $2"
	assert_eq "$(par gear)" 5 "gear, $2"
}

policy_array 3,5 128M
quick
sync_speed 1000
load 40 30 50

note "a check in the top gear"
echo check >"/sys/block/$MD/md/sync_action"
set_par policy auto
nap 6
idle_but_busy 30 "during a check"
explains 'gear 3 must wait until the check, repair or rebuild has ended'
assert_eq "$(cat "/sys/block/$MD/md/sync_action")" check "sync_action"
echo idle >"/sys/block/$MD/md/sync_action"
gear_is 3 60

note "propagation home"
load 60 20 100
set_par speed_min 2000
set_par speed_max 2000
set_par policy manual
set_par gear 5
gear_is 5
wait_for "/sys/block/$MD/md/par/shift_state" propagate 30
nap 6
idle_but_busy 10 "during propagation"
assert_eq "$(par shift_state)" propagate "shift_state"
set_par speed_max 2097152
settle

note "a rebuild"
set_par policy auto
mdadm --quiet "/dev/$MD" --fail "${DEVS[1]}" --remove "${DEVS[1]}"
mdadm --zero-superblock "${DEVS[1]}"
mdadm --quiet "/dev/$MD" --add "${DEVS[1]}"
wait_for "/sys/block/$MD/md/sync_action" recover
nap 6
idle_but_busy 30 "during a rebuild"
assert_eq "$(cat "/sys/block/$MD/md/sync_action")" recover "sync_action"
sync_speed 200000
wait_for "/sys/block/$MD/md/degraded" 0 200
gear_is 3 120
echo 1000 >/proc/sys/dev/raid/speed_limit_min
end_dissected
