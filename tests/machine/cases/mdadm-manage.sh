#!/bin/bash
# mdadm fails, removes, adds and monitors members of a par array as it does with raid5.
# stock: yes
set -euo pipefail
. "$(dirname "$0")/../lib.sh"
. "$(dirname "$0")/../tools/monitor.sh"

checksum() { dd if=/dev/md0 bs=1M count=32 iflag=direct status=none | sha256sum; }

members_state() { mdadm --detail /dev/md0 | sed -n 's/^ *State : *//p' | sed 's/ *$//'; }

# mdadm --detail --test also reports whether the array would survive another failure.
test_status() {
	local status=0
	mdadm --detail --test /dev/md0 >/dev/null || status=$?
	echo "$status"
}

mkdisks 6 256M
mdadm --create /dev/md0 --quiet --level=par --raid-devices=5 --layout=3,5 "${DEVS[@]:0:5}"
dd if=/dev/urandom of=/dev/md0 bs=1M count=32 oflag=direct status=none
before=$(checksum)
start_monitor /dev/md0

note "a member fails"
mdadm --quiet /dev/md0 --fail "${DEVS[1]}"
wait_event "Fail ${DISKS[1]}"
assert_match "$(members_state)" '^(clean|active), degraded$' "state with a failed member"
assert_eq "$(test_status)" 1 "--detail --test with a failed member"
assert_eq "$(checksum)" "$before" "data with a failed member"

note "mdadm does not fail another one: the array would be lost"
refused mdadm /dev/md0 --fail "${DEVS[2]}"
assert_match "$REFUSAL" 'array will be failed' "a second failure"

note "a new one takes its place"
wait_for "/sys/block/md0/md/dev-${DISKS[1]}/slot" none
mdadm --quiet /dev/md0 --remove "${DEVS[1]}"
mdadm --quiet /dev/md0 --add "${DEVS[5]}"
wait_event "SpareActive ${DISKS[5]}"
mdadm --wait /dev/md0 || true
assert_match "$(members_state)" '^(clean|active)$' "state after the recovery"
assert_eq "$(test_status)" 0 "--detail --test after the recovery"
assert_eq "$(checksum)" "$before" "data after the recovery"

kill "$MONITOR"
mdadm --stop --quiet /dev/md0

note "the old member is left out when the array is assembled"
mdadm --assemble --quiet /dev/md0 "${DEVS[@]}" 2>/dev/null
assert_match "$(members_state)" '^(clean|active)$' "state after assembly"
assert_eq "$(checksum)" "$before" "data after assembly"
mdadm --stop --quiet /dev/md0

note "the superblocks on the disks of the stopped array say which disk is which member"
"$(dirname "$0")/../tools/dissect.py" "${DEVS[5]}" "${DEVS[@]:2:3}" "${DEVS[0]}"
rmdisks
