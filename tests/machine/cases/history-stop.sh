#!/bin/bash
# An hour that ends at any moment of a stop, or of a change to read-only, leaves the array clean and unwritten from then on.
# subject: power
# machine: --debug --time-travel
. "$(dirname "$0")/../tools/power.sh"

MET=0

us() { echo "${EPOCHREALTIME/./}"; }

# at US: wait until the clock shows this time.
at() {
	local left=$(($1 - $(us)))
	[ "$left" -le 0 ] || nap "$((left / 1000000)).$(printf %06d $((left % 1000000)))"
}

# yielding COMMAND...: run the command in a process that continues only when no other process is
# ready. The monitor, which has waited, then runs first; with one CPU it would not otherwise.
yielding() { chrt --idle 0 "$@"; }

# during US COMMAND...: begin the command US before the monitor notices the end of an hour in
# which the array was used.
during() {
	local lead=$1 hour=$((EPOCHSECONDS / 3600 + 1)) look
	shift
	fill 1
	# The monitor runs every 100 ms, the first time before the hour is over.
	date -s "@$((hour * 3600 - 1)).85" >/dev/null
	look=$(($(us) + 200000))
	set_par interval 100
	at $((look - lead))
	"$@"
	[ "$(us)" -le "$look" ] || MET=$((MET + 1))
}

turned_read_only() {
	local before
	before=$(sleepers_stat 0)
	nap 1
	assert_eq "$(sleepers_stat 0)" "$before" "$1: requests of a read-only array"
}

power_array 3,5 preset=nearline
# In the top gear the policy has a decision to make, so the monitor runs on time.
set_par hold 86400
set_par policy auto
for ((lead = 100000; lead > 0; lead -= 12000)); do
	during "$lead" yielding mdadm --quiet --readonly "/dev/$MD"
	turned_read_only "$lead us before"
	stop_par
	dissect >"$MACHINE_TMP/dissected" || { cat "$MACHINE_TMP/dissected"; fail "read-only $lead us before"; }
	assemble_par
	during "$lead" yielding mdadm --quiet --stop "/dev/$MD"
	dissect >"$MACHINE_TMP/dissected" || { cat "$MACHINE_TMP/dissected"; fail "stopped $lead us before"; }
	assemble_par
	assert_eq "$(par gear)" 5 "gear"
done
stop_par
note "$MET commands were running at the end of the hour"
assert_le 5 "$MET" "commands that were running at the end of the hour"
