#!/bin/bash
# A disk of sd that is unplugged while asleep, starting or awake fails as any member does; the array works without it, and can be stopped.
# machine: --debug --time-travel
export POWER_DISKS=scsi
. "$(dirname "$0")/../tools/power.sh"

unplug() { echo 1 >"/sys/block/${DISKS[$1]}/device/delete"; }

# gone D: report to md that the disk is gone, as udev would.
gone() {
	mdadm --quiet "/dev/$MD" --fail detached 2>/dev/null || true	# the member may have failed already
	gear_is 5
	settle
	assert_match "$(</proc/mdstat)" '\[5/4\]' "mdstat without disk $1"
	assert_eq "$(fingerprint)" "$SUM" "content without disk $1"
	wait_for "/sys/block/$MD/md/dev-${DISKS[$1]}/slot" none 120
	mdadm --quiet "/dev/$MD" --remove detached 2>/dev/null
	assert_eq "$(member "$1" power_state)" none "power_state of an empty place"
	fill 1 3
	stop_par
	rmscsi
}

note "asleep"
power_array 3,5
down
fill 1 1
SUM=$(fingerprint)
mark_log
unplug 4
nap 3
logged "md/par:$MD: the device of member 4 .* is gone"	# without a request to the member
gone 4

note "just being started, which takes long"
power_array 3,5
down
fill 1 2
SUM=$(fingerprint)
echo "0 -1 0x1b" >"/sys/kernel/debug/scsi_debug/${SCSI_IDS[4]}/error"
set_par gear 5
nap 5
unplug 4
gone 4

note "a member that never sleeps, in a low gear"
power_array 3,5
down
SUM=$(fingerprint)
unplug 1
gone 1
