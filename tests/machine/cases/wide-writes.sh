#!/bin/bash
# Small writes all over a large array in its low gear wait neither for each other's intents nor for the clearing of idle zones.
# subject: data
# machine: --time-travel
# needs: raid-tracer
. "$(dirname "$0")/../tools/policy.sh"

PLACES=1200
PLACE=65536
RATE=40
SPAN=120	# s: zones are idle after 30

# places: print the sectors of places all over the array.
places() {
	awk -v span="$(blockdev --getsz "/dev/$MD")" -v count="$PLACES" 'BEGIN {
		srand(7)
		for (i = 0; i < count; i++)
			printf "%.0f\n", int(rand() * (span - 4096) / 2048) * 2048
	}'
}

# first_writes, scattered: print requests to these places, for raid-tracer.
first_writes() { awk -v bytes="$PLACE" '{ printf "%.0f w %s %d\n", i++ * 5e6, $1, bytes }'; }
scattered() {
	awk -v rate="$RATE" -v span="$SPAN" -v blocks=$((PLACE / 4096)) '{ place[n++] = $1 } END {
		srand(9)
		for (t = 0; t < span; t -= log(1 - rand()) / rate)
			printf "%.0f w %.0f 4096\n", t * 1e9, place[int(rand() * n)] + int(rand() * blocks) * 8
	}'
}

# ms WHAT: print a latency of the requests, from raid-tracer's output.
ms() { awk -v what="$1" '$1 == "writes" { for (i = 4; i < NF; i++) if ($i == what) printf "%d\n", $(i + 1) }' "$MACHINE_TMP/load"; }

mkspindles 5 1600G preset=nearline
create_par 3,5 --log-size=none
places >"$MACHINE_TMP/places"
first_writes <"$MACHINE_TMP/places" >"$MACHINE_TMP/first"
scattered <"$MACHINE_TMP/places" >"$MACHINE_TMP/scattered"
send "$MACHINE_TMP/first"
settle
set_par gear 3
gear_is 3 300
nap 60
send "$MACHINE_TMP/scattered"
cat "$MACHINE_TMP/load"
# Intents stored one after another took 1436 ms, and clearing all idle zones at once 1870 ms.
assert_le "$(ms p99)" 600 "99 of 100 writes, in ms"
assert_le "$(ms max)" 1000 "the slowest write, in ms"
stop_par
