#!/bin/bash
# A shift down that is abandoned for the top gear leaves no error, no segment that only an image holds, and all data.
# subject: shift
# timeout: 120
set -euo pipefail
. "$(dirname "$0")/../tools/par.sh"

# speed KIB: a second, of shifts, however busy the array is.
speed() {
	echo 1 >"/sys/block/$MD/md/par/speed_min"
	echo "$1" >"/sys/block/$MD/md/par/speed_max"
}

work() {
	local i sum caught=0 low top
	low=$(low_gear "$LAYOUT")
	top=$(top_gear "$LAYOUT")
	fill 12
	sum=$(fingerprint)
	for ((i = 1; i <= 4; i++)); do
		speed 512	# a shift takes seconds
		echo "$low" >"/sys/block/$MD/md/par/gear"
		wait_for "/sys/block/$MD/md/par/shift_state" down
		nap "0.$i"
		get shift_state
		[ "$GOT" != down ] || caught=$((caught + 1))
		echo "$top" >"/sys/block/$MD/md/par/gear"
		speed 200000
		settle
		assert_eq "$(par gear)" "$top" "gear after abandoning"
		assert_match "$(par shift_last_error)" '^(0|-4)$' "error after abandoning"
		assert_eq "$(par segments_image)" 0 "segments only in an image"
		assert_eq "$(fingerprint)" "$sum" "content after abandoning"
		fill 2 "$i"
		sum=$(fingerprint)
	done
	assert_ne "$caught" 0 "shifts met in their midst"
	note "abandoned $caught in their midst"
	shift_to "$low"
	assert_eq "$(fingerprint)" "$sum" "content after a whole shift"
}

for layout in 3,5 3,5,8; do with_par "$layout" 32M work --chunk=64; done
