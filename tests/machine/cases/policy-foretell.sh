#!/bin/bash
# From the top gear, the policy predicts the load of the low gear within a third before the low gear was ever used, and within an eighth afterwards.
# machine: --debug --time-travel
# rare: yes
# needs: raid-tracer
# timeout: 400
. "$(dirname "$0")/../tools/policy.sh"

SEEN=330	# seconds: a little more than the long window

# look: set MEAN and DEVIATION to the values that explain shows for the low gear, in tenths of a percent.
look() {
	local pattern='gear 3 (is enough|would be|of 5)[ ,(]+([0-9]+)\.([0-9])% \+/- ([0-9]+)\.([0-9])% busy'
	note "$(par explain)"
	[[ $(par explain) =~ $pattern ]] || fail "it does not tell of gear 3"
	MEAN=$((10#${BASH_REMATCH[2]}${BASH_REMATCH[3]}))
	DEVIATION=$((10#${BASH_REMATCH[4]}${BASH_REMATCH[5]}))
}

# in_gear G POLICY SECONDS: stay in gear G for SECONDS, then read the values.
in_gear() {
	set_par policy manual
	set_par gear "$1"
	gear_is "$1" 60
	set_par policy "$2"
	nap "$3"
	look
}

# near PARTS IS SAID: the two differ by at most 1/PARTS.
near() {
	assert_le $(($1 * $2)) $((($1 + 1) * $3)) "the measured load times $1, at most the predicted one times $(($1 + 1))"
	assert_le $(($1 * $3)) $((($1 + 1) * $2)) "the predicted load times $1, at most the measured one times $(($1 + 1))"
}

# foretell RATE BYTES: a load of RATE requests per second, a tenth of them writes. raid5 splits all of them into pages.
foretell() {
	local before is
	note "$1 requests a second of $2 bytes"
	huge_array 3,5 "$((2 * SEEN + 180)):$1:90:$2"
	set_par hold 3600
	set_par window_short 60
	send "$MACHINE_TMP/requests" &
	in_gear 5 auto "$SEEN"
	before=$MEAN
	assert_le "$DEVIATION" 80 "deviation foretold, tenths of a percent"
	in_gear 3 manual 80
	is=$MEAN
	in_gear 5 auto "$SEEN"
	assert_le "$DEVIATION" 80 "deviation foretold again, tenths of a percent"
	near 3 "$is" "$before"
	near 8 "$is" "$MEAN"
	wait $!
	end_par
}

foretell 60 65536
foretell 60 4096
