#!/bin/bash
# If the only member with the newest superblock fails while it is written first, the others take over, and nothing is lost.
# subject: crash
# timeout: 600
. "$(dirname "$0")/../tools/par.sh"

spoil() { "$TOOLS/spoil.py" "$@"; }

# Print the first sector of member 0's metadata on its disk.
metadata() { mdadm --examine "${DEVS[0]}" | sed -n 's/ *Data Offset : \([0-9]*\) sectors/\1/p'; }

# fails WHAT GEAR FROM COUNT: only member 0 has the newest superblock, as after a cut between the two lots. A store of its
# blocks was interrupted afterwards, so the first use stores them again. Writes to COUNT sectors of its metadata, beginning
# with FROM, return errors.
fails() {
	note "$1, gear $2"
	on_spindles 3,5 32M
	fill 8
	shift_to 3
	fill 2 2
	shift_to "$2"
	fill 2 1
	SUM=$(fingerprint 12)
	stop_par
	spoil torn --newest "${DEVS[@]:1:$2 - 1}"
	spoil cut --blocks all "${DEVS[0]}"
	echo "write $(($(metadata) + $3)) $4" >"$SPINDLES/spin0/errors"
	assemble_par
	fill 1 20 || fail "$1: writes return errors"
	wait_for "/sys/block/$MD/md/degraded" 1
	fill 1 21
	assert_eq "$(fingerprint 12)" "$SUM" "$1: content"
	stop_par
	mdadm --assemble --quiet --run "/dev/$MD" "${DEVS[@]:1}"
	assert_eq "$(fingerprint 12)" "$SUM" "$1: content without the member"
	end_par
}

fails "no metadata can be written" 5 0 256
fails "the map cannot be written" 3 144 112
fails "the superblock cannot be written" 3 0 16
