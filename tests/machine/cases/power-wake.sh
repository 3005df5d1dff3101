#!/bin/bash
# Five sleepers that need 15 s each are awake after less than 16 s; with a stagger, one after another.
# machine: --debug --time-travel
. "$(dirname "$0")/../tools/power.sh"

# all_woken STARTS: disks and array have counted this number of starts.
all_woken() {
	local d
	for d in $(sleepers); do
		assert_eq "$(disk "$d" starts)" "$1" "starts of disk $d"
		assert_eq "$(member "$d" spin_ups)" "$1" "spin_ups of member $d"
		assert_eq "$(member "$d" power_state)" active "power_state of member $d"
		assert_match "$(member "$d" last_wake_cause)" '^gear .*\[[0-9]+\]$' "cause of member $d"
	done
}

power_array 3,8
assert_eq "$(par spin)" on "spin"
for d in $(sleepers); do assert_eq "$(member "$d" power_control)" runtime "control of member $d"; done

note "at once"
down
fill 2 1
SUM=$(fingerprint)
nap 100
ms_of up
assert_le "$UP_MS" "$MS" "ms of a shift up"
assert_le "$MS" $((UP_MS + 999)) "ms of a shift up"
all_woken 1
settle
assert_eq "$(fingerprint)" "$SUM" "content"
assert_le 100 "$(member 7 seconds_asleep)" "seconds asleep"
assert_le "$(member 7 seconds_asleep)" 110 "seconds asleep"
assert_eq "$(member 7 seconds_waking)" $((UP_MS / 1000)) "seconds waking"
assert_eq "$(member 0 spin_ups)" 0 "spin_ups of a member that never sleeps"

note "2 s after one another"
set_par wake_stagger 2000
down
ms_of up
assert_le $((UP_MS + 8000)) "$MS" "ms of a staggered shift up"
assert_le "$MS" $((UP_MS + 8999)) "ms of a staggered shift up"
all_woken 2
settle
stop_par
dissect
