#!/bin/bash
# Whole stripes pass by the write log, other writes of any size do not, and stripes that it has as a whole are drained as such.
# machine: --time-travel
. "$(dirname "$0")/../tools/log.sh"

STRIPE=512 # KiB: four chunks

# logs KIB WHAT OFFSET BYTES [COUNT]: so much of COUNT writes of BYTES from OFFSET on, both in KiB, goes to the log.
logs() {
	local before
	before=$(par logged)
	dd if=/dev/urandom of="$MACHINE_TMP/part" bs="${4}k" count="${5:-1}" iflag=fullblock status=none
	dd if="$MACHINE_TMP/part" of="/dev/$MD" bs="${4}k" oflag=direct,seek_bytes seek="$(($3 * 1024))" status=none
	dd if="$MACHINE_TMP/part" of="$TWIN" bs=1M oflag=seek_bytes seek="$(($3 * 1024))" conv=notrunc status=none
	assert_eq "$((($(par logged) - before) / 1024))" "$1" "KiB of $2 in the log"
}

mkspindles 5 64M
create_logged 3,5 16 --chunk=128
fill_twin
shift_to 3
logs 0 "a whole stripe" $((4 * STRIPE)) $STRIPE
logs 0 "three of them" $((5 * STRIPE)) $((3 * STRIPE))
logs $((STRIPE - 4)) "all of one but a block" $((8 * STRIPE)) $((STRIPE - 4))
logs $STRIPE "as much, across two" $((9 * STRIPE + 64)) $STRIPE
logs $STRIPE "half a stripe, two, and another half" $((11 * STRIPE + STRIPE / 2)) $((3 * STRIPE))
logs $STRIPE "a stripe that is logged" $((9 * STRIPE)) $STRIPE
same "in the low gear"
wait_for "/sys/block/$MD/md/par/log_used" 0 300

logs $((8 * STRIPE)) "eight, one chunk at a time" $((8 * STRIPE)) 128 32
before=$(of_disks reads)
wait_for "/sys/block/$MD/md/par/log_used" 0 300
# The log is read in pieces of 1 MiB at most; the home set and the gear set read nothing.
assert_le "$(($(of_disks reads) - before))" 16 "reads of the drain"
same "after the drain"
crash 1
same "after a cut"
wait_for "/sys/block/$MD/md/par/resync" none 120
no_mismatch
end_par

# With the default chunk, one write of a stripe is more than one request: the last one is small.
STRIPE=2048
mkspindles 5 128M
create_logged 3,5 16 --chunk=512
fill_twin
shift_to 3
logs 0 "a stripe of several requests" 0 $STRIPE
logs 0 "two of them" $STRIPE $((2 * STRIPE))
logs 4 "a block" $((3 * STRIPE)) 4
logs $((STRIPE - 4)) "the rest of its stripe" $((3 * STRIPE + 4)) $((STRIPE - 4))
same "with the default chunk"
end_par
