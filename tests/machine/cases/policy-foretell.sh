#!/bin/bash
# From the top gear, the policy predicts the load of the low gear within a third before the low gear was ever used, and within an eighth afterwards.
# machine: --debug --time-travel --mem 1200M
# rare: yes
# timeout: 400
set -euo pipefail
. "$(dirname "$0")/../tools/policy.sh"

SEEN=330	# seconds; the long window, and a little

# look: MEAN and DEVIATION of the low gear as explain tells them, in tenths of a percent.
look() {
	local pattern='gear 3 (is enough|would be|of 5)[ ,(]+([0-9]+)\.([0-9])% \+/- ([0-9]+)\.([0-9])% busy'
	note "$(par explain)"
	[[ $(par explain) =~ $pattern ]] || fail "it does not tell of gear 3"
	MEAN=$((10#${BASH_REMATCH[2]}${BASH_REMATCH[3]}))
	DEVIATION=$((10#${BASH_REMATCH[4]}${BASH_REMATCH[5]}))
}

# in_gear G POLICY SECONDS: it is left there for so long, and looked at.
in_gear() {
	set_par policy manual
	set_par gear "$1"
	gear_is "$1" 60
	set_par policy "$2"
	nap "$3"
	look
}

# near PARTS IS SAID: no more than one of so many parts away.
near() {
	assert_le $(($1 * $2)) $((($1 + 1) * $3)) "what it is, times $1, against what was foretold, times $(($1 + 1))"
	assert_le $(($1 * $3)) $((($1 + 1) * $2)) "what was foretold, times $1, against what it is, times $(($1 + 1))"
}

# foretell RATE BYTES: so many requests a second, a tenth of them writes. raid5 makes pages of all these.
foretell() {
	local before is
	note "$1 requests a second of $2 bytes"
	huge_array 3,5 "$((2 * SEEN + 180)):$1:90:$2"
	set_par hold 3600
	set_par window_short 60
	"$REPLAY" "/dev/$MD" -l "$MACHINE_TMP/requests" >"$MACHINE_TMP/load" &
	in_gear 5 auto "$SEEN"
	before=$MEAN
	assert_le "$DEVIATION" 80 "deviation foretold, tenths of a percent"
	in_gear 3 manual 80
	is=$MEAN
	in_gear 5 auto "$SEEN"
	assert_le "$DEVIATION" 80 "deviation foretold again, tenths of a percent"
	near 3 "$is" "$before"
	near 8 "$is" "$MEAN"
	wait
	assert_match "$(cat "$MACHINE_TMP/load")" ' errors 0 ' "requests"
	stop_par
	rmdisks
}

foretell 60 65536
foretell 60 4096
