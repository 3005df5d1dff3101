#!/bin/bash
# A degraded array whose shift up fails tries again after 10 s, 20 s and so on, with either policy, until it succeeds.
# subject: shift
# machine: --debug --time-travel --mem 1G
. "$(dirname "$0")/../tools/par.sh"

# again POLICY: member 0 fails in the low gear, and member 3 does not answer, so that a shift up fails.
again() {
	local tried
	note "policy $1"
	on_spindles 3,5 32M
	give_up_soon
	fill 6
	shift_to 3
	SUM=$(fingerprint 6)
	echo "$1" >"/sys/block/$MD/md/par/policy"
	echo "read 0 $((32 << 11))" >"$SPINDLES/spin3/errors"
	mark_log
	manage --fail "${DEVS[0]}"
	nap 170
	tried=$(log_since | grep -c 'cannot shift to gear 5: error -112') || true
	note "tried $tried times; $(par explain)"
	assert_le 4 "$tried" "shifts up in 170 s"
	assert_le "$tried" 6 "shifts up in 170 s"
	assert_eq "$(par gear)" 3 "gear"
	assert_match "$(par explain)" 'gear 5 is called for, but the last shift to it has failed; retrying in [0-9]+ s' "explain"
	echo clear >"$SPINDLES/spin3/errors"
	wait_for "/sys/block/$MD/md/par/gear" 5 400
	settle
	assert_match "$(</proc/mdstat)" '\[5/4\]' "mdstat"
	assert_eq "$(fingerprint 6)" "$SUM" "content"
	end_par
}

again auto
again manual
