#!/bin/bash
# A shift up reads no metadata block, even if no member can read any; and a new member that never sleeps is given all blocks from memory, and so are all others.
# subject: shift
# machine: --debug --time-travel
. "$(dirname "$0")/../tools/par.sh"

on_spindles 3,5 32M
fill 6
shift_to 3
fill 2 2
shift_to 5
shift_to 3
fill 4 4
nap 35	# the map has been stored since the shift
SUM=$(fingerprint 8)
"$TOOLS/spoil.py" corrupt --blocks all "${DEVS[@]:0:3}"
mark_log
shift_to 5
not_logged 'metadata'
assert_eq "$(fingerprint 8)" "$SUM" "content"

settle
nap 75	# no intent is left, and the map is stored
"$TOOLS/spoil.py" corrupt --blocks all "${DEVS[@]:0:3}"
take_out 1
mkspindles 1 32M
mdadm --quiet "/dev/$MD" --add "${DEVS[5]}"
wait_whole
echo 6 >"$SPINDLES/cut"
stop_par
echo all >"$SPINDLES/restore"
DEVS=("${DEVS[0]}" "${DEVS[5]}" "${DEVS[@]:2:3}")
assemble_par
assert_eq "$(fingerprint 8)" "$SUM" "content after a power cut"
mdadm --readwrite "/dev/$MD" 2>/dev/null || true
wait_whole
end_dissected
