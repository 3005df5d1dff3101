#!/bin/bash
# A shift down under steady writes ends, or fails within the announced time; writes are held for a moment only.
# machine: --debug --time-travel
# rare: yes
# needs: raid-tracer
# timeout: 400
. "$(dirname "$0")/../tools/policy.sh"

# writing MIB_S SECONDS: write to a ring, in the background.
writing() {
	ring_requests 64 "$1" "$2" >"$MACHINE_TMP/ring"
	send "$MACHINE_TMP/ring" &
	nap 5
}

# down MIB_S SECONDS ERROR: under such writes, a shift down ends within SECONDS with this result.
down() {
	local i limit
	writing "$1" "$2"
	limit=$(par shift_limit)
	set_par gear 3
	for ((i = 0; i < limit * 5; i++)); do
		[ "$(par shift_target)" != "$(par gear)" ] || break
		nap 0.2
	done
	note "$1 MiB/s: $(par shift_last_ms) ms, $(par shift_last_hold_ms) of them with writes held; given $limit s"
	assert_eq "$(par shift_state)" idle "shift_state at $1 MiB/s after $limit s"
	assert_eq "$(par shift_last_error)" "$3" "shift_last_error at $1 MiB/s"
	assert_le "$(par shift_last_hold_ms)" 150 "shift_last_hold_ms at $1 MiB/s"
}

policy_array 3,5 128M

# Writes faster than speed_min: 16 passes, and then the rest is copied while writes are held.
down 30 25 0
wait $!
up
settle

# Writes faster than the disks can copy beside them.
mark_log
down 120 40 -110
assert_eq "$(par gear)" 5 "gear"
explains 'the last shift down gave up: data was written faster than it was copied'
logged 'the shift down to gear 3 gives up after .* s: data is written faster than it can be copied'
wait $!
set_par gear 3
gear_is 3 60
assert_eq "$(par shift_last_error)" 0 "shift_last_error when nothing is written"
explains 'the policy is manual: shifts when gear is written$'
end_dissected
