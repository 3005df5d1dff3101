#!/bin/bash
# A member that fails at any moment of a rebuild, also while syncs are frozen or the array is suspended, is detached, and can be added again.
# subject: member
# RAIDPAR_WHOLE=1: each of the moments twice.
. "$(dirname "$0")/../tools/par.sh"

ENOUGH=$MACHINE_TMP/enough

act() { echo "$1" >"/sys/block/$MD/md/sync_action"; }
slot_of() { read -r SLOT <"/sys/block/$MD/md/dev-$1/slot" || SLOT=; }

# suspend_often: suspend the array repeatedly until the file $ENOUGH exists.
suspend_often() {
	while [ ! -e "$ENOUGH" ]; do
		echo 8 >"/sys/block/$MD/md/suspend_hi"
		echo 0 >"/sys/block/$MD/md/suspend_hi"
	done
}

# at_once ROUND: the member fails as soon as it has its place, which is before the sets rebuild it, or a little later.
at_once() {
	local deadline=$((SECONDS + 30))
	mdadm --zero-superblock "${DEVS[MEMBER]}"
	manage --add "${DEVS[MEMBER]}"
	slot_of "${DISKS[MEMBER]}"
	while [ "$SLOT" = none ]; do
		[ "$SECONDS" -le $deadline ] || fail "member $MEMBER has got no place"
		slot_of "${DISKS[MEMBER]}"
	done
	spin $(($1 % 20 * 50))
	echo faulty >"/sys/block/$MD/md/dev-${DISKS[MEMBER]}/state"
}

# frozen ROUND: it fails while its rebuild is frozen.
frozen() {
	manage --add "${DEVS[MEMBER]}"
	spin $(($1 % 10 * 100))
	act frozen
	spin $(($1 % 7 * 100))
	echo faulty >"/sys/block/$MD/md/dev-${DISKS[MEMBER]}/state"
	spin $(($1 % 3 * 300))
	act idle
}

# fails HOW ROUNDS: the last rebuild is not disturbed.
fails() {
	local round sum
	fill 8
	sum=$(fingerprint 8)
	manage --fail "${DEVS[MEMBER]}"
	for ((round = 0; round < $2; round++)); do
		detached "$MEMBER"
		manage --remove "${DEVS[MEMBER]}"
		"$1" "$round"
	done
	if [ "$1" = frozen ]; then : >"$ENOUGH"; wait; rm "$ENOUGH"; fi
	detached "$MEMBER"
	manage --remove "${DEVS[MEMBER]}"
	put_in "$MEMBER"
	assert_eq "$(fingerprint 8)" "$sum" "content"
	no_mismatch
}

work() {
	fails at_once $((${RAIDPAR_WHOLE:-0} ? 40 : 20))
	suspend_often &
	fails frozen 10
}

for MEMBER in 1 4; do with_par 3,5 24M work --chunk=64; done
