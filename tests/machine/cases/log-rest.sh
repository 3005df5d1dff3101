#!/bin/bash
# An array that was made read-only while its log was being drained is clean, and stays clean.
# machine: --debug --mem 1G
# rare: yes
. "$(dirname "$0")/../tools/log.sh"

on_log 3,5 8 256M preset=nearline seed=1
scatter 600
# Commands may take longer than a drain, so it waits for the paths to the log.
for d in 0 1 2; do cut_off_log "$d"; done
echo 5 >"/sys/block/$MD/md/par/gear"
wait_for "/sys/block/$MD/md/par/gear" 5 60
mdadm --quiet --readonly "/dev/$MD"
[ "$(par log_live)" -gt 0 ] || fail "all was drained before the array was read-only"
get metadata_writes
before=$GOT
sleep 2
get metadata_writes
assert_eq "$GOT" "$before" "blocks of metadata of a read-only array"
assert_eq "$(newest_super 1 140)" 1 "flags of the superblock"
mend_disks
same "read-only"
mdadm --quiet --readwrite "/dev/$MD"
wait_for "/sys/block/$MD/md/par/log_used" 0 120
same "drained"
stop_par
