#!/bin/bash
# On real disks paradm create refuses disks that hold data or are in use, and creates the array that it has shown.
# plain: yes
# needs: paradm
set -euo pipefail
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

stop_par
