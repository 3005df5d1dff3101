#!/bin/bash
# mdadm refuses requests that a par array does not support, each with one clear line, and changes nothing.
# machine: --mem 2G
set -euo pipefail
. "$(dirname "$0")/../lib.sh"

# expect MESSAGE COMMAND...: the command is refused with exactly this message.
expect() {
	local want=$1
	shift
	refused "$@"
	assert_eq "$REFUSAL" "mdadm: $want" "$*"
}

superblocks() {
	local dev
	for dev in "${DEVS[@]}"; do head -c 1M "$dev" | sha256sum; done
}

CHANGE='level par does not support a change of its size, level, layout, chunk size, data offset or number of devices'

refuse_running() {
	local dev=/dev/md0
	expect "$CHANGE" mdadm --grow $dev --raid-devices=6
	expect "$CHANGE" mdadm --grow $dev --size=max
	expect "$CHANGE" mdadm --grow $dev --level=5
	expect "$CHANGE" mdadm --grow $dev --layout=2,5
	expect "$CHANGE" mdadm --grow $dev --chunk=128
	expect 'level par does not support a bitmap' mdadm --grow $dev --bitmap=internal
	expect 'level par does not support another consistency policy' mdadm --grow $dev --consistency-policy=ppl
	mdadm --grow $dev --consistency-policy=resync
	expect 'level par does not support --replace' mdadm $dev --replace "${DEVS[0]}"
	expect 'level par does not support a write journal' mdadm $dev --add-journal "${DEVS[5]}"
}

refuse_creating() {
	refused mdadm --create /dev/md1 --run --level=par -n 5 --layout=3,4 "${DEVS[@]:0:5}"
	assert_match "$REFUSAL" 'gear sizes must grow and end in the number of raid devices' "a bad layout"
	expect 'level par does not support --write-zeroes: what has not been written reads as zeros without it' \
		mdadm --create /dev/md1 --run --level=par -n 5 --write-zeroes "${DEVS[@]:0:5}"
	refused mdadm --create /dev/md1 --run --level=par -n 5 --size=1M --chunk=1M "${DEVS[@]:0:5}"
	assert_match "$REFUSAL" 'of each device is too small for level par' "small members"
	for size in 300M 1T; do
		refused mdadm --create /dev/md1 --run --level=par -n 5 --log-size=$size "${DEVS[@]:0:5}"
		assert_match "$REFUSAL" 'leaves no room for data on devices of 25[0-9]M: give less by --log-size' "a log of $size"
	done
}

mkdisks 6 256M
before=$(superblocks)
refuse_creating
assert_eq "$(superblocks)" "$before" "disks after refused creations"

mdadm --create /dev/md0 --quiet --level=par --raid-devices=5 --layout=3,5 "${DEVS[@]:0:5}"
before=$(superblocks)
refuse_running
assert_eq "$(superblocks)" "$before" "superblocks after refused changes"
mdadm --stop --quiet /dev/md0

note "other levels cannot become par"
mdadm --create /dev/md1 --quiet --run --level=5 --raid-devices=5 --assume-clean --bitmap=none --destroy-par \
	"${DEVS[@]:0:5}"
expect 'an array of another level cannot be changed to level par' mdadm --grow /dev/md1 --level=par
mdadm --stop --quiet /dev/md1
rmdisks
