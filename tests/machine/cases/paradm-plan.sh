#!/bin/bash
# paradm plan predicts the capacity that an array of these disks then has, and sends no request to a disk.
# needs: paradm
. "$(dirname "$0")/../tools/paradm.sh"

# The maximum that mdadm reserves on each of these disks.
RESERVED=$((2 << 20))

sent() {
	local disk
	for disk in "${DISKS[@]}"; do requests "$disk"; done
}

# Compare the plan with the present array.
foretold() {
	local gears=${LAYOUT#*:} level=${LAYOUT%%:*} before bytes low members=${#DEVS[@]}
	low=$(low_gear "$LAYOUT")
	settle
	before=$(sent)
	ask 0 plan "${DEVS[@]}" --gears "$gears" --level "$level" --chunk 64 --json
	assert_eq "$(sent)" "$before" "requests to disks of paradm plan"
	bytes=$(jq .bytes <<<"$SAID")
	assert_eq "$(jq -r '"\(.few.disks) \(.raid.disks) \(.disks | length) \(.by_gear | map(.gear) | join(","))"' <<<"$SAID")" \
		"$low $members $members $gears" "disks and gears of $LAYOUT"
	note "$LAYOUT: foretold $bytes, is $(array_bytes)"
	assert_le "$(array_bytes)" "$bytes" "capacity of $LAYOUT"
	assert_le "$((bytes - low * RESERVED))" "$(array_bytes)" "foretold capacity of $LAYOUT"
}

for of in raid5:3,5 raid5:2,3,6 raid6:4,6 raid0:2,4; do with_par "$of" 128M foretold --chunk=64; done

note "disks that are not hard disks, and names that are not disks"
mkdisks 3 64M
json '.warnings | join(" ")' plan "${DEVS[@]}"
[[ $JSON == *"3 of the devices are not hard disks"* ]] || fail "warnings of disks in memory: $SAID"
refuses 2 'same device' plan "${DEVS[0]}" "${DEVS[@]}"
refuses 3 'no block device /dev/null' plan /dev/null /dev/zero
refuses 5 'no trace of a format' plan --disks 5x4T --trace /dev/null
refuses 5 'directory' plan --disks 5x4T --trace /dev
cd "$MACHINE_TMP" || exit
printf '0 r 0 4096\n86400000000000 r 8 4096\n' >trace
json '.load.requests' plan --disks 5x4T --trace trace
assert_eq "$JSON" 2 "requests of a trace with a relative path"
rmdisks
