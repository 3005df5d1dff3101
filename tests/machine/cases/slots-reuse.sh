#!/bin/bash
# After a cut, rows that were started in a slot which another run had before have no data of that run.
. "$(dirname "$0")/../tools/par.sh"

CHUNK=64	# KiB; a run is 1 MiB of each member
OTHER='data of another run'

# write_other MIB AT: so much, all of it the text, from AT MiB on.
write_other() {
	dd if=<(yes "$OTHER") of="/dev/$MD" bs=1M count="$1" seek="$2" iflag=fullblock oflag=direct conv=fsync,notrunc \
		status=none
}

# use_all_slots MIB RUN: slots that are left free after a shift down get runs of RUN MiB from MIB on. NEXT: behind them.
use_all_slots() {
	NEXT=$1
	while get slots_free && [ "$GOT" -gt 0 ]; do
		write_other "$2" "$NEXT"
		NEXT=$((NEXT + $2))
	done
	assert_eq "$(par gear)" "$(low_gear "$LAYOUT")" "$LAYOUT: gear with all slots used"
}

# nothing_foreign WHAT AT MIB: these MiB, of which the text was never written, do not have it.
nothing_foreign() {
	local found
	dd if="/dev/$MD" of="$MACHINE_TMP/read" bs=1M skip="$2" count="$3" iflag=direct status=none
	found=$(tr -d '\0' <"$MACHINE_TMP/read" | grep -a -c -F "$OTHER" || true)
	assert_eq "$found" 0 "$LAYOUT: $1: lines of another run in rows that were not written"
}

reuse() {
	local low top run data free i
	low=$(low_gear "$LAYOUT")
	top=$(top_gear "$LAYOUT")
	run=$((${#DEVS[@]} - $(parities "$LAYOUT")))
	data=$(($(array_mib) / 2 / run * run))
	write_other "$data" 0
	shift_to "$low"
	use_all_slots "$data" "$run"
	# The coldest runs lose their slots, which are the only free ones.
	shift_to "$top"
	shift_to "$low"
	free=$(par slots_free)
	[ "$free" -gt 0 ] || fail "$LAYOUT: no slot was evicted"
	for ((i = 1; i <= free; i++)); do
		watch_sleepers
		dd if=/dev/urandom of="/dev/$MD" bs=4k count=1 seek=$(((NEXT + i * run) * 256)) oflag=direct status=none
		assert_asleep "a row that was started in a slot of another run"
	done
	crash 5
	nothing_foreign "after a cut" "$NEXT" $(((free + 1) * run))
	wait_whole
	shift_to "$top"
	nothing_foreign "in the top gear" "$NEXT" $(((free + 1) * run))
	no_mismatch
}

for layout in 3,5 raid0:2,5; do
	note "$layout"
	mkspindles "$(top_gear "$layout")" 128M seed=3
	create_shared 25 "$layout" --chunk="$CHUNK"
	reuse
	end_par
done
