#!/bin/bash
# A shift up that fails because metadata cannot be stored is tried again at most twice a minute.
# subject: shift
# timeout: 200
set -euo pipefail
. "$(dirname "$0")/../tools/par.sh"

mkspindles 5 32M
create_par 3,5 --chunk=64
fill 6
shift_to 3
fill 2
shift_to 5
shift_to 3
fill 2 2
SUM=$(fingerprint 6)
note "no member has the newest map: sleepers cannot be brought up to date"
nap 35	# the map has been stored since the shift
"$TOOLS/spoil.py" corrupt --blocks all "${DEVS[@]:0:3}"
mkspindles 1 32M
mark_log
mdadm --quiet "/dev/$MD" --add "${DEVS[5]}" || true
nap 10
TRIED=$(log_since | grep -c 'cannot shift to gear 5: error -5') || true
note "tried $TRIED times"
assert_ne "$TRIED" 0 "shifts up that failed"
assert_le "$TRIED" 3 "shifts up that failed in 10 s"
assert_eq "$(par gear)" 3 "gear"
assert_eq "$(fingerprint 6)" "$SUM" "content"
stop_par
