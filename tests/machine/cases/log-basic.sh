#!/bin/bash
# Writes in a low gear go to the log, are read from it, survive a cut, and are drained by a shift up.
# plain: yes
# RAIDPAR_WHOLE=1: two more layouts.
. "$(dirname "$0")/../tools/log.sh"

work() {
	fill_twin
	[ "$(par log_size)" -gt 0 ] || fail "$LAYOUT: no log"
	assert_eq "$(par logged)" 0 "logged in the top gear"
	shift_to "$(low_gear "$LAYOUT")"
	watch_sleepers
	write_some 1 300
	[ "$(par logged)" -gt 0 ] || fail "$LAYOUT: nothing is logged"
	[ "$(par log_live)" -gt 0 ] || fail "$LAYOUT: nothing is live"
	note "live $(par log_live), used $(par log_used) of $(par log_size), memory $(par log_memory)"
	same "in the low gear"
	assert_asleep "writes into the log"
	reassemble_par
	[ "$(par log_replayed)" -gt 0 ] || fail "$LAYOUT: nothing is replayed"
	same "after a stop"
	write_some 2 300
	flushed_crash 7
	same "after a cut"
	write_some 3 300
	same "after more writes"
	shift_to "$(top_gear "$LAYOUT")"
	wait_for "/sys/block/$MD/md/par/log_used" 0
	same "in the top gear"
	no_mismatch
	reassemble_par
	assert_eq "$(par log_replayed)" 0 "records that were drained"
	same "at last"
}

[ -n "${RAIDPAR_WHOLE:-}" ] || LAYOUTS=('3,5,8' 'raid6:4,8' 'raid0:2,5')
for layout in "${LAYOUTS[@]}"; do
	note "$layout"
	mkspindles "$(top_gear "$layout")" 64M seed=3
	create_logged "$layout" 8 --chunk=64
	work
	end_par
done
