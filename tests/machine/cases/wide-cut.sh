#!/bin/bash
# Flushed writes all over a large array in its low gear, with intents in many blocks, survive power cuts.
# subject: crash
# machine: --time-travel
. "$(dirname "$0")/../tools/policy.sh"

COUNT=300

written() { "$TOOLS/places.py" "/dev/$MD" "$COUNT" write "$1"; }
right() { assert_eq "$("$TOOLS/places.py" "/dev/$MD" "$COUNT" check "$1")" "0 of $COUNT wrong" "$2"; }

# cut SEED: cut the power now, and assemble the array again.
cut() {
	crash "$1"
}

mkspindles 5 4T preset=nearline
create_par 3,5 --log-size=none
written first
settle
set_par gear 3
gear_is 3 120
for seed in 1 2; do
	note "cut $seed"
	written "gear 3, $seed"
	cut "$seed"
	right "gear 3, $seed" "after cut $seed"
done
note "cut 3, while idle zones are closed, a few at a time"
written "tidied"
nap 61
cut 3
right "tidied" "after cut 3"
stop_par
