#!/bin/bash
# If a power cut left the newest superblock of an array on one member only, and the array crashed in a later use, it is refused without that member.
# subject: crash
# plain: yes
# machine: --debug --time-travel --mem 1G
. "$(dirname "$0")/../tools/par.sh"

seqs() { "$TOOLS/spoil.py" seq "${DEVS[@]}" | xargs; }

# A change of a setting stores the first superblock of a start. The superblock reaches member 0 only.
cut_in_store() {
	local first was
	was=$(seqs)
	first=$(data_offset "${DEVS[0]}")
	slow_disks 100000 1 2 3 4
	echo "1 1 $first $((first + 15))" >"$SPINDLES/trap"
	assemble_par
	echo 123456 >"/sys/block/$MD/md/par/speed_max" 2>/dev/null || true
	assert_eq "$(cat "$SPINDLES/trap")" 0 "superblocks before the cut"
	stop_par
	echo all >"$SPINDLES/restore"
	slow_disks 0
	assert_eq "$(seqs)" "$((${was%% *} + 1)) ${was#* }" "superblocks"
}

on_spindles 3,5 32M
fill 12
stop_par
cut_in_store
assemble_par
fill 12
SUM=$(fingerprint 12)
power_cut 2
refused mdadm --assemble --quiet --run "/dev/$MD" "${DEVS[@]:1}"
assert_match "$REFUSAL" 'Bad message' "mdadm's message"
stop_par 2>/dev/null || true
assemble_par
assert_eq "$(fingerprint 12)" "$SUM" "content with all members"
wait_for "/sys/block/$MD/md/sync_action" idle
no_mismatch
end_par
