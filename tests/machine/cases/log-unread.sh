#!/bin/bash
# A record that a start could not read is not replayed by a later one, which can.
# subject: log
# machine: --debug --mem 1G
# timeout: 200
set -euo pipefail
. "$(dirname "$0")/../tools/par.sh"
. "$(dirname "$0")/../tools/log.sh"

# number DEVICE BYTE: of the superblock, eight bytes.
number() {
	dd if="$1" bs=4k skip=$(($(data_offset "$1") / 8)) count=1 iflag=direct status=none |
		od -An -t u8 -N 8 -j "$2" | tr -d ' '
}

# log_start DISK: the first sector of its log.
log_start() { echo $(($(data_offset "${DEVS[$1]}") + META - LOG)); }

# put_block: random content of the block at 1 MiB, which is left in a file as well.
put_block() {
	head -c 4096 /dev/urandom >"$MACHINE_TMP/block"
	dd if="$MACHINE_TMP/block" of="/dev/$MD" bs=4k seek=256 oflag=direct status=none
}

mkspindles 5 64M
create_logged 3,5 8 --chunk=64
fill_twin
shift_to 3
# The first record is on members 0 and 1. Had it been in their caches, one could have lost it.
put_block
[ "$(par log_live)" -gt 0 ] || fail "nothing is logged"
sync -d "/dev/$MD"
power_cut 1
META=$(number "${DEVS[0]}" 112)
LOG=$(number "${DEVS[0]}" 160)
dd if=/dev/zero of="${DEVS[1]}" bs=512 count=8 conv=notrunc oflag=direct status=none seek="$(log_start 1)"
echo "read $(log_start 0) 16" >"$SPINDLES/${DISKS[0]}/errors"
assemble_par
assert_eq "$(par log_replayed)" 0 "records, none of which can be read"
shift_to 5
put_block
dd if="$MACHINE_TMP/block" of="$TWIN" bs=4k seek=256 conv=notrunc status=none
sync -d "/dev/$MD"
same "written past the log"
echo clear >"$SPINDLES/${DISKS[0]}/errors"
reassemble_par
assert_eq "$(par log_replayed)" 0 "records, though nothing was logged"
same "the first record can be read"
stop_par
