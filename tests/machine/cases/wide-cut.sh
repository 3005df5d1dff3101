#!/bin/bash
# Flushed writes all over a large array in its low gear, whose intents are in many blocks, are there after power cuts.
# machine: --time-travel --mem 2G
set -euo pipefail
. "$(dirname "$0")/../tools/policy.sh"

COUNT=300

written() { "$TOOLS/places.py" "/dev/$MD" "$COUNT" write "$1"; }
right() { assert_eq "$("$TOOLS/places.py" "/dev/$MD" "$COUNT" check "$1")" "0 of $COUNT wrong" "$2"; }

# cut SEED: at this moment; and on.
cut() {
	echo "$1" >"$SPINDLES/cut"
	stop_par
	echo all >"$SPINDLES/restore"
	assemble_par
}

mkspindles 5 4T preset=nearline
create_par 3,5
written first
settle
set_par gear 3
gear_is 3 120
for seed in 1 2 3; do
	note "cut $seed"
	written "gear 3, $seed"
	cut "$seed"
	right "gear 3, $seed" "after cut $seed"
done
# With idle zones closed, a few at a time: once while that goes on, and once when it is over.
for seed in 4 5; do
	note "cut $seed, while or after zones are closed"
	written "tidied, $seed"
	nap $((seed == 4 ? 61 : 130))
	cut "$seed"
	right "tidied, $seed" "after cut $seed"
done
set_par gear 5
gear_is 5 120
right "tidied, 5" "in the top gear"
settle
right "tidied, 5" "copied home"
stop_par
