#!/bin/bash
# On real disks paradm create refuses disks that hold data or are in use, and creates the array that it has shown.
# plain: yes
# needs: paradm
. "$(dirname "$0")/../tools/paradm.sh"

mkspindles 6 64M
disks=("${DEVS[@]:0:5}")

note "plan"
json '[.. | .gears? // empty] | length' plan "${disks[@]}" --gears 3,5
assert_le 1 "$JSON" "plans"

note "refusals"
refuses 3 'there is no block device' create md0 --gears 3,5 "${disks[@]:0:4}" /dev/none --yes
refuses 2 '' create md0 --gears 3,4 "${disks[@]}" --yes
mkfs.ext4 -q "${disks[1]}"
refuses 6 'ext4' create md0 --gears 3,5 "${disks[@]}" --yes
mkdir -p "$MACHINE_TMP/mnt"
mount "${disks[1]}" "$MACHINE_TMP/mnt"
refuses 6 'mounted' create md0 --gears 3,5 "${disks[@]}" --overwrite --yes
umount "$MACHINE_TMP/mnt"
[ ! -e "/sys/block/$MD/md/par" ] || fail "an array that paradm refused to create is running"

note "create"
says "mdadm --create" create md0 --gears 3,5 --chunk 64 "${disks[@]}" --overwrite --dry-run
[ ! -e "/sys/block/$MD/md/par" ] || fail "--dry-run has created an array"
json '[.outcome, .bytes, (.members | length)] | join(" ")' create md0 --gears 3,5 --chunk 64 "${disks[@]}" --overwrite --yes
read -r outcome bytes members <<<"$JSON"
assert_eq "$outcome $members" "created 5" "paradm create --json"
# Documentation/paradm-create.md: the announced capacity is a little less than the real one.
assert_le "$bytes" "$(array_bytes)" "bytes that were announced"
assert_eq "$(par gears)" "3 5" "gears"
refuses 6 '' create md1 "${disks[@]}" --overwrite --yes
assert_eq "$(par gear)" 5 "gear after the refusals"
says '^md0: raid5:3,5 of ' status
fill 4
ask 0 shift 3
ask 0 shift 5
says '^md0: raid5:3,5 of ' status
assert_match "$SAID" 'gear 5 of 5' "paradm status"
[[ $SAID != *" log "* ]] || fail "an array without a write log has a line of it: $SAID"
end_par

note "the last lines that it prints lead to an array that shifts by itself"
mkspindles 5 64M
ask 0 create md0 --gears 3,5 --chunk 64 "${DEVS[@]}" --yes
next=$(tail -n 1 <<<"$SAID")
assert_eq "$next" "  paradm policy set policy=auto --array md0" "the last line of paradm create"
assert_eq "$(par policy)" manual "policy of a new array"
# shellcheck disable=SC2086  # words
ask 0 ${next#*paradm}
assert_eq "$(par policy)" auto "policy after the commands of paradm create"
end_par

note "a write log"
mkspindles 5 64M
refuses 2 '4M at least' create md0 --gears 3,5 --log-size 3M "${DEVS[@]}" --yes
json '[.outcome, .log_bytes, .bytes] | join(" ")' create md0 --gears 3,5 --chunk 64 --log-size 8M "${DEVS[@]}" --yes
read -r outcome log bytes <<<"$JSON"
assert_eq "$outcome $log" "created $((8 << 20))" "paradm create --log-size"
assert_le "$bytes" "$(array_bytes)" "bytes that were foretold with a write log"
# 8 MiB on each of three members, two copies.
assert_eq "$(par log_size)" $((12 << 20)) "size of the log"
says '  log 0 % of 12.6 MB, empty' status
ask 0 shift 3
dd if=/dev/urandom of="/dev/$MD" bs=4k count=100 oflag=direct conv=notrunc status=none
says '  log [1-9][0-9]* % of 12.6 MB, records' status
# Nothing is written meanwhile, and a drain begins after 60 s.
says "raidpar_array_log_live_bytes\{array=\"md0\"\} $(par log_live)[^0-9]" metrics
ask 0 shift 5
wait_for "/sys/block/$MD/md/par/log_used" 0 60
says '  log 0 % of 12.6 MB, empty' status

stop_par
