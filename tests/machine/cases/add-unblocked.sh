#!/bin/bash
# While the metadata is copied to a disk that is being added, the array serves requests.
# subject: member
# machine: --debug --time-travel
. "$(dirname "$0")/../tools/par.sh"

# A map block has 15 zones of 32 MiB: each block is written, and stored twice.
on_spindles 3,5 8G
STEP=$((15 * 32 * 4))	# MiB
for ((AT = 0; AT + 1 < $(array_mib); AT += STEP)); do fill 1 "$AT"; done
shift_to 3
for ((AT = 0; AT + 1 < $(array_mib); AT += STEP)); do fill 1 "$AT"; done
shift_to 5
SUM=$(fingerprint 1)

# The new disk takes seconds to write the copy.
take_out 1
mkspindles 1 8G rate_kib=32
mdadm --quiet "/dev/$MD" --add "${DEVS[5]}"
LONGEST=0
PLACE=none
for ((LOOK = 0; LOOK < 3000; LOOK++)); do
	FROM=${EPOCHREALTIME/./}
	dd if="/dev/$MD" of=/dev/null bs=4k count=1 skip=16 iflag=direct status=none
	TOOK=$(((${EPOCHREALTIME/./} - FROM) / 1000))
	[ "$TOOK" -le "$LONGEST" ] || LONGEST=$TOOK
	read -r PLACE <"/sys/block/$MD/md/dev-${DISKS[5]}/slot" || true
	[ "$PLACE" != 1 ] || break
	nap 0.01
done
assert_eq "$PLACE" 1 "place of the new disk"
note "the longest read took $LONGEST ms, $(requests "${DISKS[5]}") requests to the new disk"
assert_le "$LONGEST" 1500 "ms of a read while a disk is added"

# The new disk has the same metadata blocks as the others.
wait_whole
settle
assert_eq "$(fingerprint 1)" "$SUM" "content"
shift_to 3
shift_to 5
stop_par
DEVS=("${DEVS[0]}" "${DEVS[@]:2}")
assert_eq "$("$TOOLS/spoil.py" blocks "${DEVS[4]}")" "$("$TOOLS/spoil.py" blocks "${DEVS[0]}")" "blocks of the new disk"
dissect
