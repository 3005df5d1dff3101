#!/bin/bash
# The energy that policy-replay computes is within 3 percent of that of simulated disks with the same requests, in the top gear and in the low gear.
# plain: yes
# machine: --debug --time-travel
# needs: raid-tracer
# timeout: 400
. "$(dirname "$0")/../tools/policy.sh"

SECONDS_OF_LOAD=900

# computed NAME: print a value that policy-replay has computed.
computed() { awk -v name="joules_$1" '$1 == name { print $2 }' "$MACHINE_TMP/computed"; }

# costs GEAR NAME: compare the energy of staying in the gear.
costs() {
	local is said
	set_par gear "$1"
	gear_is "$1" 60
	[ "$1" = 5 ] || wait_asleep
	nap 60
	report_anew
	send "$MACHINE_TMP/requests"
	is=$(joules)
	said=$(computed "$2")
	note "gear $1: $is J; computed $said J"
	assert_le $((100 * (is > said ? is - said : said - is))) $((3 * is)) "a hundred times the difference"
}

"$TOOLS/../../../scripts/build-policy" "$MACHINE_TMP/policy"
huge_array 3,5 "$SECONDS_OF_LOAD:60:95:16384"
"$MACHINE_TMP/policy/policy-replay" 3,5 <"$MACHINE_TMP/requests" >"$MACHINE_TMP/computed"
costs 5 top
costs 3 low
end_par
