#!/bin/bash
# A member that is woken while another one fails gets all metadata before it counts as current, also the marks of zones that the failed member lacks.
# subject: member
. "$(dirname "$0")/../tools/par.sh"

# blocks MEMBER: print the number of the newest version of each intent and map block on its disk.
blocks() { "$TOOLS/spoil.py" blocks "${DEVS[$1]}"; }

on_spindles 3,5 32M
give_up_soon
fill 6
shift_to 3
fill 2
note "member 4 takes no write when it is woken"
echo "write 0 $((32 << 11))" >"$SPINDLES/spin4/errors"
shift_to 5
assert_match "$(</proc/mdstat)" '\[5/4\]' "mdstat"
assert_ne "$(blocks 0)" "" "blocks of member 0"
assert_eq "$(blocks 3)" "$(blocks 0)" "versions of the blocks of the woken member, and of a member that never sleeps"
SUM=$(fingerprint 6)
stop_par
mdadm --assemble --quiet --run "/dev/$MD" "${DEVS[@]:0:4}"
assert_eq "$(fingerprint 6)" "$SUM" "content without the member"
stop_par
