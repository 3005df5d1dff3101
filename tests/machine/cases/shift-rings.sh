#!/bin/bash
# Each shift down under writes of 1 to 100 MiB/s to ranges of 64 MiB to 4 GiB ends within the announced time; the results are a table.
# machine: --time-travel --mem 16G
# rare: yes
# needs: raid-tracer
# timeout: 3600
# RAIDPAR_RINGS: MiB; RAIDPAR_RATES: MiB/s; RAIDPAR_PRESETS: of the simulated disk.
. "$(dirname "$0")/../tools/policy.sh"

RINGS=${RAIDPAR_RINGS:-64 512 4096}
RATES=${RAIDPAR_RATES:-1 10 30 100}
PRESETS=${RAIDPAR_PRESETS:-nas server36}
HOLD=100	# ms of copying at most, as promised
REQUEST=150	# ms that a request may take otherwise: the queue of such a disk

# ended LIMIT: wait until the shift down is complete or has been given up; fail after LIMIT.
ended() {
	local i
	for ((i = 0; i < $1 * 2; i++)); do
		[ "$(par shift_target)" != "$(par gear)" ] || return 0
		nap 0.5
	done
	fail "the shift down has not ended after the announced $1 s"
}

# down PRESET RING MIB_S: shift down, and print a line of the table.
down() {
	local limit error load
	limit=$(par shift_limit)
	ring_requests "$2" "$3" $((limit < 300 ? limit : 300)) >"$MACHINE_TMP/ring"
	# Not by send: the kill below has to reach raid-tracer itself.
	"$TRACER" replay "$MACHINE_TMP/ring" "/dev/$MD" --destroy >"$MACHINE_TMP/load" &
	load=$!
	nap 30
	limit=$(par shift_limit)
	set_par gear 3
	ended "$limit"
	kill "$load" 2>/dev/null || true
	wait "$load" || true
	error=$(par shift_last_error)
	printf '%-9s %5d MiB  %3d MiB/s  %4d s told  %7d ms taken  %4d ms held  %s\n' "$1" "$2" "$3" \
		"$limit" "$(par shift_last_ms)" "$(par shift_last_hold_ms)" "$error"
	[[ $error = 0 || $error = -110 ]] || fail "shift_last_error is $error"
	assert_le "$(par shift_last_hold_ms)" $((HOLD + REQUEST)) "ms held"
}

# ring PRESET RING: test each rate on an array a little larger than the ring.
ring() {
	local rate
	mkspindles 5 $(($2 * 6 / 10 + 16))M preset="$1"
	create_par 3,5 --chunk=64
	fill_all
	for rate in $RATES; do
		down "$1" "$2" "$rate"
		up
		settle
	done
	end_par
}

for preset in $PRESETS; do
	for size in $RINGS; do ring "$preset" "$size"; done
done
