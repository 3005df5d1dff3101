#!/bin/bash
# On a real array status, explain and shift do what is documented, no command of paradm wakes a sleeper unless requested, and wrong commands fail with the documented exit code.
# needs: paradm
# timeout: 400
. "$(dirname "$0")/../tools/paradm.sh"

# nobody CODE PATTERN ARGUMENT...: run paradm as the user nobody.
nobody() {
	local wanted=$1 pattern=$2 code=0
	shift 2
	SAID=$(setpriv --reuid=65534 --regid=65534 --clear-groups "$PARADM" "$@" 2>&1) || code=$?
	[ "$code" = "$wanted" ] || fail "paradm $* as nobody: exit code $code, wanted $wanted: $SAID"
	assert_match "$SAID" "$pattern" "paradm $* as nobody"
}

says '^no par array runs here$' status
refuses 3 'no par array runs here$' shift 3
on_spindles 3,5 48M
fill 16

note "status and explain agree with the sysfs files"
says '^md0: raid5:3,5 of [0-9.]+ MB, gear 5 of 5, (clean|active)' status
says '^md0: gear 5 of 5' explain /dev/md0
json '.arrays[0] | [.gear, .level, .degraded, (.members | length), .shift.state, .members[4].power_state] | join(" ")' status
assert_eq "$JSON" "5 raid5 0 5 idle active" "paradm status --json"
json '.arrays[0].settings | to_entries[] | "\(.key) \(.value)"' status
while read -r name value; do
	value=${value/false/0}
	assert_eq "${value/true/1}" "$(par "$name")" "$name in paradm status --json"
done <<<"$JSON"
json '.arrays[0].members[] | "\(.number) \(.device.name) \(.rated_cycles)"' status md0
assert_eq "$(sed -n 3p <<<"$JSON")" "2 ${DISKS[2]} 50000" "a member in paradm status --json"

note "shift"
says '^md0 has shifted from gear 5 to gear 3 in ' shift 3
assert_eq "$(par gear)" 3 "gear after paradm shift"
settle
says '^md0 is in gear 3 already$' shift down md0
for d in 3 4; do wait_for "/sys/block/$MD/md/par/member$d/power_state" asleep 60; done

note "nothing wakes a sleeper"
watch_sleepers
for line in status "status --json" explain "explain --json" "policy show" "policy preset" "scrub show" "pin show" "shift lowest" \
	"schedule show" "schedule show --json" metrics \
	events "plan ${DEVS[*]} --gears 3,5" \
	"policy set hold=61 up_wait=251" "policy preset quiet" "policy set policy=manual" "pin set 3 --for 1h" "pin end" \
	"scrub start --no-wake" "scrub limit 20M"; do
	# shellcheck disable=SC2086  # words
	ask 0 $line
done
wait_for "/sys/block/$MD/md/sync_action" idle 60
says '5 members .*left out of the last check' scrub show
ask 0 scrub limit none
"$TOOLS/watch.py" q "raid5:3,5 of " "gear 3 of 5" "last woken" asleep -- "$PARADM" status --watch --interval 1
"$TOOLS/watch.py" $'\e' "gear 3 of 5" -- "$PARADM" status --watch md0
assert_asleep "of commands that show, set, or check members that are awake"

says "no hour's load is known yet" schedule show
says 'raidpar_disk_spin_ups_total\{[^}]*member="4"[^}]*\} 0' metrics
refuses 2 'needs a terminal' status --watch

note "shift up without waiting"
says '^md0 shifts from gear 3 to gear 5 in the background$' shift up --no-wait
says '^md0 (has shifted .* to gear 5 in |is in gear 5 already)' shift top
settle

note "wrong arguments, and missing permissions"
for line in shift "shift 3 md0 md1" "shift 4" "shift some" "status --level" "scrub limit 0" "policy" "who-knows"; do
	# shellcheck disable=SC2086  # words
	ask 2 $line
done
refuses 3 'md7 is not a running par array; there are: md0$' status md7
nobody 0 '^md0: ' status
nobody 4 'root is needed for that' policy set hold=7
nobody 4 'root is needed for that' scrub limit 7
nobody 4 'root is needed for that' pin set 5

note "a read-only array, and one with a member missing"
ask 0 shift 5
settle
mdadm --readonly "/dev/$MD"
refuses 6 'it is read-only' shift 3
refuses 6 'it is read-only' policy set hold=8
refuses 6 'it is read-only' pin set 3
refuses 6 'it is read-only' scrub start
mdadm --readwrite "/dev/$MD"
mdadm --quiet "/dev/$MD" --fail "${DEVS[1]}"
settle
ask 1 status
assert_match "$SAID" '1 of 5 members missing or not rebuilt' "paradm status"
refuses 6 '1 of its members are missing or not rebuilt' shift 3
refuses 6 '1 of its members are missing or not rebuilt' scrub start
stop_par
says '^no par array runs here$' status
