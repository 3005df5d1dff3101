#!/bin/bash
# A shift down that is abandoned for the top gear leaves no error, no segment that only an image holds, and all data.
# subject: shift
. "$(dirname "$0")/../tools/par.sh"

# speed KIB: let shifts copy KIB per second while the array is idle.
speed() {
	echo 512 >"/sys/block/$MD/md/par/speed_min"
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
		get shift_state
		while [ "$GOT" != down ] && [ "$(par gear)" != "$low" ]; do get shift_state; done
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
	assert_ne "$caught" 0 "shifts that were under way when abandoned"
	note "abandoned $caught shifts that were under way"
	shift_to "$low"
	assert_eq "$(fingerprint)" "$sum" "content after a completed shift"
}

for layout in 3,5 3,5,8; do with_par "$layout" 32M work --chunk=64; done
