#!/bin/bash
# A member whose disk is dead can be removed and added again, in any gear, whichever set notices the failure first.
# subject: member
. "$(dirname "$0")/../tools/par.sh"

# lose_and_renew GEAR MEMBER HOW: HOW is "new" or "assembled".
lose_and_renew() {
	local gear=$1 d=$2 how=$3 sum
	note "gear $gear, member $d, $how"
	on_spindles 3,5 32M
	fill 6
	[ "$how" = new ] || reassemble_par
	shift_to "$gear"
	echo 1 >"$SPINDLES/${DISKS[d]}/dead"
	fill 4	# the first set with a write to the member notices the failure
	wait_for "/sys/block/$MD/md/degraded" 1
	sum=$(fingerprint 6)
	echo 0 >"$SPINDLES/${DISKS[d]}/dead"
	detached "$d"
	echo remove >"/sys/block/$MD/md/dev-${DISKS[d]}/state"
	mdadm --quiet "/dev/$MD" --add "${DEVS[d]}"
	wait_for "/sys/block/$MD/md/degraded" 0
	settle
	assert_eq "$(fingerprint 6)" "$sum" "content"
	end_dissected
}

for HOW in new assembled; do
	for D in 1 3; do
		lose_and_renew 5 "$D" "$HOW"
		[ "$D" = 3 ] || lose_and_renew 3 "$D" "$HOW"
	done
done
