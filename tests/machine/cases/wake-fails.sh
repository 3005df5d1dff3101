#!/bin/bash
# A shift up that fails because too many members do not wake up is tried again for md's superblock at most twice a minute.
# subject: shift
# machine: --debug --time-travel --mem 1G
. "$(dirname "$0")/../tools/par.sh"

on_spindles 3,5 32M
give_up_soon
fill 6
shift_to 3
SUM=$(fingerprint 6)
note "neither sleeper answers: parity can replace only one, so none is failed"
for i in 3 4; do echo "read 0 $((32 << 11))" >"$SPINDLES/spin$i/errors"; done
mkspindles 1 32M
mark_log
mdadm --quiet "/dev/$MD" --add "${DEVS[5]}" || true
nap 60
TRIED=$(log_since | grep -c 'cannot shift to gear 5: error -112') || true
note "tried $TRIED times"
assert_le 1 "$TRIED" "shifts up that failed"
assert_le "$TRIED" 3 "shifts up that failed in a minute"
assert_eq "$(par gear)" 3 "gear"
assert_eq "$(fingerprint 6)" "$SUM" "content"
for i in 3 4; do echo clear >"$SPINDLES/spin$i/errors"; done
shift_to 5
assert_eq "$(fingerprint 6)" "$SUM" "content in the top gear"
stop_par
