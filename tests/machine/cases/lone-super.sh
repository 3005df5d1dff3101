#!/bin/bash
# If a power cut left the newest superblock of an array on one member only, the array is refused without that member if it crashed in a later use; and if the member was missing in the next start, that superblock does not count as the newest one later.
# subject: crash
# plain: yes
# machine: --debug --time-travel
. "$(dirname "$0")/../tools/par.sh"

TIDY=75		# seconds; after that no intent is left, and nothing is resynced after a cut

seqs() { "$TOOLS/spoil.py" seq "${DEVS[@]}" | xargs; }

# cut_in_store COMMAND...: the first superblock of a start, which the command stores, reaches member 0 only.
cut_in_store() {
	local first was
	was=$(seqs)
	first=$(data_offset "${DEVS[0]}")
	slow_disks 100000 1 2 3 4
	echo "1 1 $first $((first + 15))" >"$SPINDLES/trap"
	assemble_par
	"$@" 2>/dev/null || true
	assert_eq "$(cat "$SPINDLES/trap")" 0 "superblocks before the cut"
	stop_par
	echo all >"$SPINDLES/restore"
	slow_disks 0
	assert_eq "$(seqs)" "$((${was%% *} + 1)) ${was#* }" "superblocks"
}

set_speed() { echo 123456 >"$PAR/speed_max"; }
write_chunk() { dd if=/dev/zero of="/dev/$MD" bs=64k count=1 oflag=direct status=none; }

note "the array crashes in the next use"
on_spindles 3,5 32M
fill 12
stop_par
cut_in_store set_speed
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

note "the member is missing in the next start"
on_spindles 3,5 32M
fill 12
sleep "$TIDY"
power_cut 1
cut_in_store write_chunk
start_without 0
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
