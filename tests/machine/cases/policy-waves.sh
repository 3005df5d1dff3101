#!/bin/bash
# Under loads that rise and fall, are noisy, or stay close to a threshold, each peak has its gear, and shifts stay few.
# machine: --debug --time-travel
# needs: raid-tracer
# timeout: 400
# rare: yes
. "$(dirname "$0")/../tools/policy.sh"

STEP=10	# seconds

# play RATE...: play each rate for STEP seconds. GEARS has the gear at the end of each, SHIFTS the
# number of shifts.
play() {
	local rate phases=() before player
	for rate in "$@"; do phases+=("$STEP:$rate:80"); done
	"$TOOLS/series.py" 120 "$(blockdev --getsize64 "/dev/$MD")" 1 "$MACHINE_TMP/files" "$MACHINE_TMP/requests" "${phases[@]}"
	before=$(par shifts)
	GEARS=()
	send "$MACHINE_TMP/requests" &
	player=$!
	for rate in "$@"; do
		nap "$STEP"
		GEARS+=("$(par gear)")
	done
	wait "$player"
	SHIFTS=$(($(par shifts) - before))
	note "$SHIFTS shifts; gears ${GEARS[*]}"
}

# wave LEAST MOST COUNT: print the rates of one period, beginning with the lowest.
wave() { awk -v least="$1" -v most="$2" -v n="$3" 'BEGIN {
	for (i = 0; i < n; i++) printf "%d ", least + (most - least) * (1 - cos(6.2831853 * i / n)) / 2 }'; }

# noise LEAST MOST COUNT: print random rates, the same in each run.
noise() { awk -v least="$1" -v most="$2" -v n="$3" 'BEGIN {
	srand(7); for (i = 0; i < n; i++) printf "%d ", least + (most - least) * rand() }'; }

policy_array 3,5
quick
set_par policy auto
gear_is 3 90
wait_asleep

note "a sine, two periods of 240 s"
read -r -a rates <<<"$(wave 1 250 24)"
play "${rates[@]}" "${rates[@]}"
for i in 12 36; do assert_eq "${GEARS[$i]}" 5 "gear at a crest"; done
assert_le "$SHIFTS" 6 "shifts of two periods"

note "a ramp, up and down"
read -r -a rates <<<"$(wave 1 250 60)"
play 1 1 1 1 1 1 "${rates[@]}" 1 1 1 1 1 1
assert_eq "${GEARS[5]}" 3 "gear before the ramp"
assert_eq "${GEARS[36]}" 5 "gear at its end"
assert_eq "${GEARS[71]}" 3 "gear after it"
assert_le "$SHIFTS" 4 "shifts of a ramp"

note "noise that gear 3 can serve"
read -r -a rates <<<"$(noise 0 12 60)"
play "${rates[@]}"
assert_le "$SHIFTS" 1 "shifts of noise"
assert_eq "${GEARS[59]}" 3 gear

note "noise that gear 3 cannot serve"
read -r -a rates <<<"$(noise 60 250 60)"
play "${rates[@]}"
assert_eq "$SHIFTS" 1 "shifts of much noise"
assert_eq "${GEARS[59]}" 5 gear

note "at the edge: whenever it has shifted down the load is back"
rates=()
for _ in {1..17}; do rates+=(250 250 1 1 1 1 1); done
lasted=$((($(par shifts) + 1) / 2))
play "${rates[@]}"
# Within 20 minutes the policy stops waiting for surges to end by themselves, when more surges have ended at once than
# have lasted (surge.h); one has lasted for each shift up. The array shifts down once before. A surge that has outlasted
# all of those that ended at once, by a second, counts as one that lasts: there may be two of these.
note "$lasted earlier surges have lasted"
assert_le "$SHIFTS" $((2 * (lasted + 3) + 1)) "shifts of an adversary"
stop_par
