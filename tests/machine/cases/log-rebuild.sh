#!/bin/bash
# A member is whole again only when its part of the log is complete; an idle array with a failed member does not store its superblock again and again; one that was made read-only while its log was being drained stays clean.
# plain: yes
. "$(dirname "$0")/../tools/log.sh"

on_log 3,5 8 256M preset=nearline seed=1
write_some 1 300
shift_to 5
manage --fail "${DEVS[0]}"
detached 0
wait_for "/sys/block/$MD/md/par/log_used" 0 60
before=$(par metadata_writes)
sleep 2
assert_le $(($(par metadata_writes) - before)) 49 "stores of an idle array without member 0"
assert_eq "$(par log_state)" empty "the log's state without member 0"
manage --remove "${DEVS[0]}"
put_in 0

note "while the log has records"
shift_to 3
scatter 600
# Commands may take longer than a drain, so it waits for the paths to the log.
for d in 1 2; do cut_off_log "$d"; done
take_out 0
manage --add "${DEVS[0]}"
[ "$(par log_live)" -gt 0 ] || fail "all is drained before member 0 is back"
mend_disks
while read -r degraded <"/sys/block/$MD/md/degraded" && [ "$degraded" -gt 0 ]; do :; done
assert_eq "$(newest_super 1 192)" 0 "members without a part in the log, of an array that is whole"
same "member 0 is back"

note "read-only while it is drained"
drained
shift_to 3
scatter 600
for d in 0 1 2; do cut_off_log "$d"; done
echo 5 >"$PAR/gear"
wait_for "$PAR/gear" 5 60
mdadm --quiet --readonly "/dev/$MD"
[ "$(par log_live)" -gt 0 ] || fail "all was drained before the array was read-only"
before=$(par metadata_writes)
sleep 2
assert_eq "$(par metadata_writes)" "$before" "blocks of metadata of a read-only array"
assert_eq "$(newest_super 1 140)" 1 "flags of the superblock"
mend_disks
same "read-only"
mdadm --quiet --readwrite "/dev/$MD"
wait_for "$PAR/log_used" 0 120
same "drained"
stop_par
