#!/bin/bash
# An idle array sends no request for a day, in either gear and with either policy, and wakes the CPU once a minute; after an hour with load, history is stored once.
# machine: --time-travel
. "$(dirname "$0")/../tools/power.sh"

DAY=86400
TICKS=/sys/kernel/tracing/instances/monitor

# look_for_ticks; …; ticks WORK: the number of runs of one of the monitor's work items in between.
# monitor_work() wakes a CPU; monitor_idle_work() runs when a CPU is awake for another reason.
look_for_ticks() {
	[ -d "$TICKS" ] || mkdir "$TICKS"
	echo 0 >"$TICKS/tracing_on"
	echo >"$TICKS/trace"
	echo 1 >"$TICKS/events/workqueue/workqueue_execute_start/enable"
	echo 1 >"$TICKS/tracing_on"
}
ticks() { grep -c "function $1" "$TICKS/trace" || true; }

# hour_over: set the clock to the end of an hour, and wait a moment longer. That hour had load.
hour_over() {
	local now
	now=$(date +%s)
	nap $((3600 - now % 3600 + 90))
}

# a_day WHAT: a day passes without a request.
a_day() {
	local before
	hour_over
	before=$(sleepers_stat 0)
	look_for_ticks
	nap "$DAY"
	assert_eq "$(sleepers_stat 0)" "$before" "the members' requests in a day, $1"
	assert_le "$(ticks monitor_work)" $((DAY / 60 + 60)) "wakes of the CPU in a day, $1"
	assert_le 24 "$(ticks monitor_)" "looks in a day, $1"
}

# stored_within_the_hour WHAT: the history is stored once, and not again an hour later.
stored_within_the_hour() {
	local writes
	writes=$(par metadata_writes)
	hour_over
	assert_le $((writes + 1)) "$(par metadata_writes)" "superblocks written after an hour, $1"
	writes=$(par metadata_writes)
	hour_over
	assert_eq "$(par metadata_writes)" "$writes" "superblocks written after an idle hour, $1"
}

# Disks with mechanics: without, a read takes no time and is no load.
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
	# A long interval changes nothing else, and a day takes a tenth of the time.
	set_par interval 60000
	assert_eq "$(wc -l <"/sys/block/$MD/md/par/load_by_hour")" 24 "hours in load_by_hour"
done

set_par interval 1000
note "a read is load; a stranger's wake is counted"
fingerprint 1 >/dev/null
stored_within_the_hour "with a read"
read_disk 4
wait_asleep
stored_within_the_hour "with a stranger's wake"

note "history that could not be stored is stored with the next superblock"
a_day "before the stop"
rmdir "$TICKS"
HOURS=$(cat "/sys/block/$MD/md/par/load_by_hour")
reassemble_par
assert_eq "$(cat "/sys/block/$MD/md/par/load_by_hour")" "$HOURS" "load_by_hour, assembled again"
stop_par
