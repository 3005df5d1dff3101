#!/bin/bash
# A RAID-6 array that lacks a member and is started by force is resynced with the remaining parity; later writes survive a second failure.
# subject: crash
. "$(dirname "$0")/../tools/par.sh"

NEW=$MACHINE_TMP/new

# Damage Q in the first stripe, as a power cut between the writes of data and of Q would.
spoil_q() {
	local member sector
	read -r member sector < <(dissect --parity 8)
	member=$(((member + 1) % 8))
	dd if=/dev/urandom of="${DEVS[member]}" bs=512 seek="$sector" count=128 oflag=direct \
		conv=notrunc status=none
}

# Write the first block of the third chunk.
put_new() {
	dd if=/dev/urandom of="$NEW" bs=4k count=1 status=none
	dd if="$NEW" of="/dev/$MD" bs=4k seek=32 oflag=direct conv=notrunc,fsync status=none
}

# Read everything else first, so that the data does not come from raid5's cache.
assert_new() {
	dd if="/dev/$MD" of=/dev/null bs=1M iflag=direct status=none
	cmp -n 4096 "$NEW" <(dd if="/dev/$MD" bs=4k skip=32 count=1 iflag=direct status=none) ||
		fail "$1: not what was written"
}

on_spindles raid6:4,8 32M
fill 3
stop_par
spoil_q	# the parity of rows in doubt need not match
assemble_par
mdadm --quiet "/dev/$MD" --fail "${DEVS[2]}"
put_new
power_cut 7

refused mdadm --assemble --run "/dev/$MD" "${DEVS[@]}"
mdadm --assemble --quiet --force "/dev/$MD" "${DEVS[@]}"
wait_for "/sys/block/$MD/md/par/resync" none
put_new
assert_new "one is missing"
mdadm --quiet "/dev/$MD" --fail "${DEVS[3]}"
assert_new "two are missing"
for D in 2 3; do
	[ ! -e "/sys/block/$MD/md/dev-${DISKS[D]}" ] || { detached "$D"; manage --remove "${DEVS[D]}"; }
	manage --add "${DEVS[D]}"
done
wait_whole
assert_new "whole again"
end_dissected
