#!/bin/bash
# After a cut that left the superblock of a shift up on some members only, propagated data survives another cut.
# subject: crash
. "$(dirname "$0")/../tools/par.sh"

# In the low gear only the images hold the last writes, and no intent is set.
prepare() {
	create_par 3,5 --chunk=64
	fill 24
	shift_to 3
	fill 24
	SUM=$(fingerprint 24)
	stop_par
}

# The shift up stores its superblock, but two members keep the version before.
first_cut() {
	assemble_par
	echo 4096 >"/sys/block/$MD/md/par/speed_min"
	echo 4096 >"/sys/block/$MD/md/par/speed_max"
	echo 5 >"/sys/block/$MD/md/par/gear"
	wait_for "/sys/block/$MD/md/par/gear" 5
	power_cut "$1"
	"$TOOLS/spoil.py" corrupt --newest "$2" "$3"
}

# The array propagates without a write to it, and the power is cut again.
second_cut() {
	assemble_par
	get gear
	assert_eq "$GOT" 5 "gear after the first cut"
	settle
	get segments_image
	assert_eq "$GOT" 0 "segments that only images hold"
	power_cut "$1"
	note "lost in the caches of members 3 and 4: $(cat "$SPINDLES"/spin[34]/lost | xargs)"
}

for seed in 1 2; do
	note "seed $seed"
	mkspindles 5 64M "seed=$seed"
	prepare
	first_cut "$seed" "${DEVS[3]}" "${DEVS[4]}"
	second_cut "$((seed + 10))"
	assemble_par
	settle
	assert_eq "$(fingerprint 24)" "$SUM" "content, seed $seed"
	shift_to 3
	assert_eq "$(fingerprint 24)" "$SUM" "content in the low gear, seed $seed"
	end_dissected
done
