#!/bin/bash
# A superblock that a power cut left on one member only, which is missing in the next start, does not count as the newest one later.
# subject: crash
# machine: --debug --time-travel --mem 1G
# timeout: 400
. "$(dirname "$0")/../tools/par.sh"

TIDY=75		# seconds; after that no intent is left, and nothing is resynced after a cut

seqs() { "$TOOLS/spoil.py" seq "${DEVS[@]}" | xargs; }

# The first superblock of a start reaches member 0 only.
cut_in_store() {
	local first
	first=$(data_offset "${DEVS[0]}")
	slow_disks 100000 1 2 3 4
	echo "1 1 $first $((first + 15))" >"$SPINDLES/trap"
	assemble_par
	dd if=/dev/zero of="/dev/$MD" bs=64k count=1 oflag=direct status=none 2>/dev/null || true
	assert_eq "$(cat "$SPINDLES/trap")" 0 "superblocks before the cut"
	stop_par
	echo all >"$SPINDLES/restore"
	slow_disks 0
	note "superblocks: $(seqs)"
}

on_spindles 3,5 32M
fill 12
sleep "$TIDY"
power_cut 1
cut_in_store
mdadm --assemble --quiet --run "/dev/$MD" "${DEVS[@]:1}"
fill 12
SUM=$(fingerprint 12)
sleep "$TIDY"
power_cut 2
note "superblocks: $(seqs)"
mdadm --assemble --quiet --run "/dev/$MD" "${DEVS[@]}"
assert_eq "$(fingerprint 12)" "$SUM" "content"
wait_for "/sys/block/$MD/md/sync_action" idle
assert_eq "$(fingerprint 12)" "$SUM" "content after the resync"
end_par
