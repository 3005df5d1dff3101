#!/bin/bash
# A member that fails while a sync is frozen or the array is suspended is detached afterwards.
# subject: member
. "$(dirname "$0")/../tools/par.sh"

ROUNDS=10

act() { echo "$1" >"/sys/block/$MD/md/sync_action"; }

# suspend_often: suspend the array repeatedly until the file $MACHINE_TMP/enough exists.
suspend_often() {
	while [ ! -e "$MACHINE_TMP/enough" ]; do
		echo 8 >"/sys/block/$MD/md/suspend_hi"
		echo 0 >"/sys/block/$MD/md/suspend_hi"
	done
}

# In each round a member fails at another moment of a rebuild. The last rebuild is not disturbed.
fail_frozen() {
	local name=$1 round suspender sum
	fill 8
	sum=$(fingerprint 8)
	mdadm --quiet "/dev/$MD" --fail "/dev/$name"
	suspend_often &
	suspender=$!
	for ((round = 0; round < ROUNDS; round++)); do
		wait_for "/sys/block/$MD/md/dev-$name/slot" none 30
		mdadm --quiet "/dev/$MD" --remove "/dev/$name"
		mdadm --quiet "/dev/$MD" --add "/dev/$name"
		spin $((round % 10 * 100))
		act frozen
		spin $((round % 7 * 100))
		echo faulty >"/sys/block/$MD/md/dev-$name/state"
		spin $((round % 3 * 300))
		act idle
	done
	: >"$MACHINE_TMP/enough"
	wait "$suspender"
	rm "$MACHINE_TMP/enough"
	wait_for "/sys/block/$MD/md/dev-$name/slot" none 30
	mdadm --quiet "/dev/$MD" --remove "/dev/$name"
	mdadm --quiet "/dev/$MD" --add "/dev/$name"
	wait_whole
	assert_eq "$(fingerprint 8)" "$sum" "content"
}

work() { fail_frozen "${DISKS[$MEMBER]}"; }

for MEMBER in 1 4; do with_par 3,5 24M work --chunk=64; done
