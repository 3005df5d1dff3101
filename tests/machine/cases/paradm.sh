#!/bin/bash
# On a real array the commands of paradm do what is documented, wake no sleeper without being told to, and fail with the documented exit codes.
# needs: paradm
# timeout: 400
set -euo pipefail
. "$(dirname "$0")/../tools/paradm.sh"

limits() { echo "$(par min_gear) $(par max_gear)"; }
settings() {
	local name
	for name in policy {up,down}_threshold window_{short,long} speed_{min,max} {min,max}_gear hold interval carry; do
		echo "$name $(par "$name")"
	done
}
sync_file() { cat "/sys/block/$MD/md/$1"; }

# nobody CODE PATTERN ARGUMENT...: as a user who is not root.
nobody() {
	local wanted=$1 pattern=$2 code=0
	shift 2
	SAID=$(setpriv --reuid=65534 --regid=65534 --clear-groups "$PARADM" "$@" 2>&1) || code=$?
	[ "$code" = "$wanted" ] || fail "paradm $* as nobody: exit code $code, wanted $wanted: $SAID"
	assert_match "$SAID" "$pattern" "paradm $* as nobody"
}

says '^no par array runs here$' status
refuses 3 'no par array runs here$' shift 3
mkspindles 5 48M
create_par 3,5 --chunk=64
fill 16

note "status and explain tell what the files do"
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
	"policy set hold=61 up_wait=251" "policy preset quiet" "policy set policy=manual" "pin set 3 --for 1h" "pin end" \
	"scrub start --no-wake" "scrub limit 20M"; do
	# shellcheck disable=SC2086  # words
	ask 0 $line
done
wait_for "/sys/block/$MD/md/sync_action" idle 60
says '5 members .*left out of the last check' scrub show
ask 0 scrub limit none
assert_asleep "of what only looks, sets or checks what is awake"

note "shift up without waiting"
says '^md0 is asked to shift from gear 3 to gear 5$' shift up --no-wait
says '^md0 (has shifted .* to gear 5 in |is in gear 5 already)' shift top
settle

note "settings: all or none, and kept"
ask 0 policy preset balanced
ask 0 policy set policy=manual
says '' policy set up_threshold=95 down_threshold=90 window_short=20 window_long=25 speed_max=1000 speed_min=500 carry=9
says '' policy set up_threshold=20 down_threshold=10 window_short=2 window_long=10
before=$(settings)
refuses 6 'down_threshold is below up_threshold$' policy set hold=5 up_threshold=5
refuses 6 'min_gear and max_gear are gears' policy set hold=5 min_gear=4
refuses 6 'speed_min is at most speed_max$' policy set hold=5 speed_min=1001
ask 2 policy set hold=5 up_threshold=101
ask 2 policy set hold=5 gear=3
ask 2 policy set hold=5 interval
assert_eq "$(settings)" "$before" "settings after what was refused"
reassemble_par
ask 0 shift 5
json '.arrays[0].settings[] | select(.name == "carry" or .name == "up_threshold") | .value' policy show
assert_eq "$JSON" $'20\n9' "settings after a restart"
says '' policy set speed_max=2097152

note "pins"
says '^md0: pinned to gear 3 until ' pin set lowest --for 2h
wait_for "/sys/block/$MD/md/par/gear" 3 60
assert_eq "$(limits)" "3 3" "limits of a pin"
json '.pins[0] | [.array, .holds, .uuid] | join(" ")' pin show
assert_eq "$JSON" "md0 true $(sync_file uuid)" "paradm pin show --json"
says 'no pin is over' pin end --expired
says 'the pin has ended' pin end
assert_eq "$(limits)" "3 5" "limits after the pin"
refuses 3 'no array is pinned$' pin end
ask 2 pin set 4
ask 2 pin set top --until 25:00
json '.gear_min' pin set top --for 1s
assert_eq "$JSON" 5 "a pin to the top gear"
wait_for "/sys/block/$MD/md/par/gear" 5 60
nap 1.1
says 'the pin has ended' pin end --expired
settle

note "checks: paused, limited, and only while all disks are awake"
ask 0 scrub limit 300
says 'the check has started$' scrub start
says 'already$' scrub start
refuses 6 'a check is at work' shift 3
wait_for "/sys/block/$MD/md/sync_completed" '[1-9]* / *' 60
says 'the check is paused' scrub pause
wait_for "/sys/block/$MD/md/sync_action" idle 60
assert_ne "$(sync_file sync_min)" 0 "where the next check begins"
says 'goes on from where' scrub start
ask 0 scrub limit none
wait_for "/sys/block/$MD/md/sync_action" idle 60
assert_eq "$(sync_file mismatch_cnt)" 0 "mismatches"
says '' policy set interval=100 window_short=1 window_long=2 hold=0 break_even=0 up_threshold=70 down_threshold=50
ask 0 scrub limit 300
"$PARADM" scrub start --when-awake >"$MACHINE_TMP/scrub" 2>&1 &
wait_for "/sys/block/$MD/md/sync_action" check 60
says '' policy set policy=auto
wait_for "/sys/block/$MD/md/par/gear" 3 200
assert_eq "$(sync_file sync_action)" idle "sync_action of an array that has shifted down"
ask 0 scrub limit none
ask 0 pin set top
wait "$!" || fail "paradm scrub start --when-awake: $(cat "$MACHINE_TMP/scrub")"
assert_eq "$(cat "$MACHINE_TMP/scrub")" "md0: the check is done" "paradm scrub start --when-awake"
ask 0 pin end
ask 0 policy set policy=manual

note "wrong arguments, and who may not"
for line in shift "shift 3 md0 md1" "shift 4" "shift some" "status --level" "scrub limit 0" "policy" "who-knows"; do
	# shellcheck disable=SC2086  # words
	ask 2 $line
done
refuses 3 'md7 is no par array that runs; there are: md0$' status md7
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
