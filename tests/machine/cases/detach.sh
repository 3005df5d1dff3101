#!/bin/bash
# A failed member is detached from all sets and from the array in any gear, without a further request.
# subject: member
. "$(dirname "$0")/../tools/par.sh"

# fails_in GEAR MEMBER
fails_in() {
	local dev=${DEVS[$2]} slot=/sys/block/$MD/md/dev-${DISKS[$2]}/slot
	note "member $2 in gear $1"
	shift_to "$1"
	echo faulty >"/sys/block/$MD/md/dev-${DISKS[$2]}/state"
	wait_for "$slot" none
	mdadm --quiet "/dev/$MD" --remove "$dev"
	mdadm --quiet "/dev/$MD" --add "$dev"
	wait_for "/sys/block/$MD/md/degraded" 0
	settle
}

on_disks 3,5 64M
fill 8
SUM=$(fingerprint 8)
fails_in 5 1
fails_in 3 1
fails_in 3 4
assert_eq "$(fingerprint 8)" "$SUM" "content"
end_par

note "RAID-0: a failed member keeps its place, as requests are still sent to it"
on_disks raid0:2,5 64M
fill 8
SUM=$(fingerprint 8)
echo faulty >"/sys/block/$MD/md/dev-${DISKS[1]}/state" 2>/dev/null || true
wait_for "/sys/block/$MD/md/dev-${DISKS[1]}/state" '*faulty*'
nap 2
refused mdadm --quiet "/dev/$MD" --remove "${DEVS[1]}"
assert_eq "$(<"/sys/block/$MD/md/dev-${DISKS[1]}/slot")" 1 "place of the failed member"
assert_eq "$(fingerprint 8)" "$SUM" "content"
stop_par
