#!/bin/bash
# A shift down during a drain of the log, or during small writes, needs none of the members that it stops, though some data has no image.
# subject: log
# machine: --debug --time-travel
set -euo pipefail
. "$(dirname "$0")/../tools/par.sh"
. "$(dirname "$0")/../tools/log.sh"

# fail_starts COUNT TIMEOUT: so many starts of the sleepers fail; a member is given up after twice this time.
fail_starts() {
	for d in spin3 spin4; do echo "$1" >"$SPINDLES/$d/fail_starts"; done
	echo "$2" >"/sys/block/$MD/md/par/wake_timeout"
}

# down WHAT: shift down, end small writes, and stay there for longer than until the idle log is drained. The sleepers are
# dead meanwhile.
down() {
	local misses
	misses=$(par slot_misses)
	fail_starts 18446744073709551615 1
	echo 3 >"/sys/block/$MD/md/par/gear"
	wait_for "/sys/block/$MD/md/par/gear" 3 60
	nap 5
	touch "$MACHINE_TMP/end"
	[ -z "${WRITER-}" ] || wait "$WRITER"
	nap 90
	assert_eq "gear $(par gear), misses $(par slot_misses), degraded $(<"/sys/block/$MD/md/degraded")" \
		"gear 3, misses $misses, degraded 0" "$1"
	note "$1: log_used $(par log_used) after it"
	fail_starts 0 60
}

mkspindles 5 64M preset=nas seed=3
LOG=$((8 * 2048)) create_shared 10 3,5 --chunk=64
dd if=/dev/zero of="/dev/$MD" bs=1M count="$(array_mib)" oflag=direct status=none
settle
shift_to 3
scatter 1300
shift_to 5
[ "$(par log_used)" -gt 0 ] || fail "the log is empty before the shift down"
down "a shift down during a drain"

shift_to 5
wait_for "/sys/block/$MD/md/par/log_used" 0 300
rm "$MACHINE_TMP/end"
small_writes 40 4 >"$MACHINE_TMP/longest" &
WRITER=$!
nap 2
down "a shift down during small writes"
assert_le "$(<"$MACHINE_TMP/longest")" 2000 "ms of a small write"
stop_par
