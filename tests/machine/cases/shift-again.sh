#!/bin/bash
# A degraded array whose shift up fails tries again after 10 s, 20 s and so on, with either policy, until it succeeds; for md's superblock at most twice a minute.
# machine: --debug --time-travel
. "$(dirname "$0")/../tools/par.sh"

# deaf MEMBER...: these do not answer, so that a shift up fails: more than parity can replace.
deaf() { local d; for d; do echo "read 0 $((32 << 11))" >"$SPINDLES/spin$d/errors"; done; }
heard() { local d; for d; do echo clear >"$SPINDLES/spin$d/errors"; done; }

begin() {
	note "$1"
	on_spindles 3,5 32M
	give_up_soon
	fill 6
	shift_to 3
	SUM=$(fingerprint 6)
}

# tried LEAST MOST: so many shifts up have failed.
tried() {
	local times
	times=$(log_since | grep -c 'cannot shift to gear 5: error -112') || true
	note "tried $times times; $(par explain)"
	assert_le "$1" "$times" "shifts up that failed"
	assert_le "$times" "$2" "shifts up that failed"
	assert_eq "$(par gear)" 3 "gear"
}

# again POLICY: member 0 fails in the low gear.
again() {
	begin "policy $1"
	echo "$1" >"$PAR/policy"
	deaf 3
	mark_log
	manage --fail "${DEVS[0]}"
	nap 170
	tried 4 6
	assert_match "$(par explain)" 'gear 5 is called for, but the last shift to it has failed; retrying in [0-9]+ s' "explain"
	heard 3
	wait_for "$PAR/gear" 5 400
	settle
	assert_match "$(</proc/mdstat)" '\[5/4\]' "mdstat"
	assert_eq "$(fingerprint 6)" "$SUM" "content"
	end_par
}

again auto
again manual

begin "a disk is added, and neither sleeper answers: parity can replace only one, so none is failed"
deaf 3 4
mkspindles 1 32M
mark_log
mdadm --quiet "/dev/$MD" --add "${DEVS[5]}" || true
nap 60
tried 1 3
assert_eq "$(fingerprint 6)" "$SUM" "content"
heard 3 4
shift_to 5
assert_eq "$(fingerprint 6)" "$SUM" "content in the top gear"
end_par
