#!/bin/bash
# An idle array sends no request for a day, in either gear and with either policy, and wakes the CPU once a minute; after an hour with load, history is stored once.
# machine: --time-travel --mem 512M
# timeout: 200
set -euo pipefail
. "$(dirname "$0")/../tools/power.sh"

DAY=86400
TICKS=/sys/kernel/tracing/instances/monitor

# stats: all that the block layer has counted of the members.
stats() {
	local name stat
	for name in "${DISKS[@]}"; do
		read -r stat <"/sys/class/block/$name/stat"
		echo "$name: $stat"
	done
}

# look_for_ticks; …; ticks WORK: how often a work of the monitor's was run. monitor_work()
# has a CPU woken; monitor_idle_work() comes when one is awake, for whatever else.
look_for_ticks() {
	[ -d "$TICKS" ] || mkdir "$TICKS"
	echo 0 >"$TICKS/tracing_on"
	echo >"$TICKS/trace"
	echo 1 >"$TICKS/events/workqueue/workqueue_execute_start/enable"
	echo 1 >"$TICKS/tracing_on"
}
ticks() { grep -c "function $1" "$TICKS/trace" || true; }

# hour_over: and a moment more. The clock says what hour it is, and that one has load.
hour_over() {
	local now
	now=$(date +%s)
	nap $((3600 - now % 3600 + 90))
}

# a_day WHAT: without a request.
a_day() {
	local before
	hour_over
	before=$(stats)
	look_for_ticks
	nap "$DAY"
	assert_eq "$(stats)" "$before" "the members' requests in a day, $1"
	assert_le "$(ticks monitor_work)" $((DAY / 60 + 60)) "wakes of the CPU in a day, $1"
	assert_le 24 "$(ticks monitor_)" "looks in a day, $1"
}

# stored_within_the_hour WHAT: once, and not again an hour later.
stored_within_the_hour() {
	local writes
	writes=$(par metadata_writes)
	hour_over
	assert_le $((writes + 1)) "$(par metadata_writes)" "superblocks written after an hour, $1"
	writes=$(par metadata_writes)
	hour_over
	assert_eq "$(par metadata_writes)" "$writes" "superblocks written after an idle hour, $1"
}

# With mechanics, or a read would take no time and be no load.
power_array 3,5 preset=nearline
for policy in manual auto; do
	note "policy $policy"
	set_par min_gear 5
	set_par policy "$policy"
	shift_to 5
	a_day "gear 5, $policy"
	set_par min_gear 3
	down
	a_day "gear 3, $policy"
	# What else there is does not depend on it, and a day takes a tenth of the time.
	set_par interval 60000
	assert_eq "$(wc -l <"/sys/block/$MD/md/par/load_by_hour")" 24 "hours of the day that are known"
done

set_par interval 1000
note "a read is load; a stranger's wake is counted"
fingerprint 1 >/dev/null
stored_within_the_hour "with a read"
read_disk 4
wait_asleep
stored_within_the_hour "with a stranger's wake"

note "what was not stored then goes with the next store"
a_day "before the stop"
HOURS=$(cat "/sys/block/$MD/md/par/load_by_hour")
reassemble_par
assert_eq "$(cat "/sys/block/$MD/md/par/load_by_hour")" "$HOURS" "load_by_hour, assembled again"
stop_par
