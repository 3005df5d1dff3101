#!/bin/bash
# A member fails while data is copied home to it; data written after the failure is on the member once it is rebuilt.
# subject: member
. "$(dirname "$0")/../tools/par.sh"

CONV=notrunc	# a flush would wait for the slow disk
MIB=12		# two batches of copies: 8 MiB, and the rest
SLOW_US=30000000	# the maximum duration of a write
KIBS=1000	# the second batch begins four seconds after the first one

# put_on MEMBER: write to rows of the second batch that need no write to the other sleeper,
# which is being copied as well.
put_on() {
	local row parity
	for row in {40..47}; do
		parity=$((4 - row % 5))
		[ $parity -gt 2 ] || put 64k $((row * 4 + ($1 + 4 - parity) % 5)) 1
	done
}

# in_flight DISK: are writes to the disk in flight?
in_flight() { local writes; read -r _ writes <"/sys/block/$1/inflight"; [ "$writes" -gt 0 ]; }

# copying DISK: wait until the second batch of copies has begun. Its writes to the disk take
# long; on a slow host they may have ended already.
copying() {
	local before
	get propagated_bytes
	before=$GOT
	echo 5 >"/sys/block/$MD/md/par/gear"
	wait_for "/sys/block/$MD/md/par/shift_state" propagate 60
	while [ "$GOT" = "$before" ]; do get propagated_bytes; done
	echo "$SLOW_US" >"$SPINDLES/$1/delay_us"
	get shift_state
	while ! in_flight "$1" && [ "$GOT" != idle ]; do
		nap 0.1
		get shift_state
	done
}

# fail_copying MEMBER: MET is 1 if copies to the member were still under way after all writes.
fail_copying() {
	local member=$1 disk=${DISKS[$1]}
	shift_to 3
	put 1M 0 $MIB
	copying "$disk"
	mdadm --quiet "/dev/$MD" --fail "${DEVS[member]}"
	put_on "$member"
	get shift_state
	[ "$GOT" != propagate ] || MET=1
	is_right "one is missing"
	wait_for "/sys/block/$MD/md/par/shift_state" idle 120
	echo 0 >"$SPINDLES/$disk/delay_us"
	wait_for "/sys/block/$MD/md/dev-$disk/slot" none
	manage --remove "${DEVS[member]}"
	put_in "$member"
	is_right "rebuilt"
}

on_spindles 3,5 48M
echo $KIBS >"/sys/block/$MD/md/par/speed_min"
echo $KIBS >"/sys/block/$MD/md/par/speed_max"
put 1M 0 $MIB
for member in 3 4; do
	MET=
	for ((try = 1; try <= 8 && !MET; try++)); do
		note "member $member, try $try"
		fail_copying "$member"
	done
	assert_eq "$MET" 1 "copies to member $member that were under way during all writes"
done
shift_to 3
end_dissected
