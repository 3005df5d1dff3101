#!/bin/bash
# After a start by force with a member of unknown content, summaries do not vouch for its copies, also not at the next start.
# machine: --debug --time-travel --mem 1500M
. "$(dirname "$0")/../tools/log.sh"

# Unit 39 has copies on members 0 and 1, and is read from member 1. This one has lost its superblocks and that copy, as
# another disk in its place would lack it, and member 2 is missing. The second start finds a superblock on member 1, and the
# healing had not reached unit 39.
on_log 3,5 40 128M seed=6
find_summaries
log_twin
log_twin
log_twin
sync -d "/dev/$MD"
assert_le $((40 << 19)) "$(par log_used)" "bytes of the log in use"
stop_par
spoil_supers 1
wipe_log 1 3328 128
present=("${DEVS[@]:0:2}" "${DEVS[@]:3}")
refused mdadm --assemble --run "/dev/$MD" "${present[@]}"
slow_disks 200000 0 1
mark_log
mdadm --assemble --force --run --quiet "/dev/$MD" "${present[@]}"
assert_le 25 "$(summarized)" "units that are found by their summaries"
for ((i = 0; i < 200 && $(par metadata_writes) < 8; i++)); do nap 0.01; done
assert_le 8 "$(par metadata_writes)" "blocks of metadata that are written"
power_cut 8
log_range 3328
dd if="${DEVS[1]}" bs=512 skip="$FIRST" count=8 iflag=direct status=none | cmp -s -n 4096 - /dev/zero ||
	fail "the healing has reached unit 39 before the cut"
assert_eq "$(newest_super 0 240)" "$(($(newest_super 0 184) + 1))" "the first run whose summaries count"
slow_disks 0
mark_log
mdadm --assemble --force --run --quiet "/dev/$MD" "${present[@]}"
log_since | grep -F "member 1 (${DEVS[1]#/dev/}) has no valid" && fail "member 1 has no superblock at the second start"
same "by force, after a cut"
shift_to 5
wait_for "/sys/block/$MD/md/par/log_used" 0 60
same "drained"
stop_par
