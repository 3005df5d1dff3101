#!/bin/bash
# Beside 200 small writes a second, anywhere, a shift down holds none of them for a second, and says how long it does.
# subject: shift
# machine: --time-travel
. "$(dirname "$0")/../tools/par.sh"

mkspindles 5 1G preset=nearline seed=3
LOG=$((16 * 2048)) create_shared 10 3,5 --chunk=64
fill_all
shift_to 3
shift_to 5
nap 40
small_writes 200 16 >"$MACHINE_TMP/longest" &
nap 10
echo 3 >"/sys/block/$MD/md/par/gear"
wait_for "/sys/block/$MD/md/par/gear" 3 300
held=$(par shift_last_hold_ms)
touch "$MACHINE_TMP/end"
wait
longest=$(<"$MACHINE_TMP/longest")
note "the longest write took $longest ms; shift_last_hold_ms $held, shift_last_ms $(par shift_last_ms)"
assert_le "$longest" 1000 "ms of a write"
assert_le "$((longest / 2))" "$held" "shift_last_hold_ms, at least half of what a write took"
end_par
