#!/bin/bash
# In an array with images of a share, runs in use are read and written while members sleep; a read of another run wakes them.
. "$(dirname "$0")/../tools/par.sh"

same() { same_as_model "$1" "$2" || fail "$LAYOUT: content: $3"; }

apart() {
	stop_par
	"$TOOLS/dissect.py" --expect-gear "$(low_gear "$LAYOUT")" --compare "$MODEL" "${DEVS[@]}"
	assemble_par
}

work() {
	local data=$(($(array_mib) * 6 / 10)) low top
	low=$(low_gear "$LAYOUT")
	top=$(top_gear "$LAYOUT")
	truncate -s "$(array_bytes)" "$MODEL"
	put 1M 0 "$data"
	shift_to "$low"
	watch_sleepers
	same 4 0 "runs with slots"
	put 1M 2 1
	same 4 0 "runs with slots, written"
	assert_asleep "a run in use"
	apart
	assert_eq "$(par gear)" "$low" "gear after a stop"
	same 8 $((data - 8)) "runs without slots"
	settle
	assert_eq "$(par gear)" "$top" "gear after a miss"
	same "$data" 0 "all"
	# What was missed has been used last: it has slots now.
	put 1M $((data - 8)) 4
	shift_to "$low"
	watch_sleepers
	same 4 $((data - 8)) "runs that were missed"
	assert_asleep "runs that were missed"
	# Rows that are started asleep take what is left free.
	put 1M "$data" 1
	same 1 "$data" "rows that were started asleep"
	assert_asleep "rows that were started asleep"
	apart
	same 1 "$data" "after a stop"
	crash 3
	wait_whole
	same $((data + 1)) 0 "after a cut"
	shift_to "$top"
	no_mismatch
	shift_to "$low"
	apart
}

for layout in "${@:-3,5}"; do
	note "$layout"
	mkspindles "$(top_gear "$layout")" "$([ "$(top_gear "$layout")" -lt 8 ] && echo 128M || echo 64M)" seed=3
	create_shared 25 "$layout" --chunk=64
	work
	end_par
	rm "$MODEL"
done
