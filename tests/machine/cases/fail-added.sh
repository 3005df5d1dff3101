#!/bin/bash
# A member that fails just when its rebuild begins is detached, and can be added again.
# subject: member
# RAIDPAR_WHOLE=1: each of the moments twice.
. "$(dirname "$0")/../tools/par.sh"

MOMENTS=20
ROUNDS=$((${RAIDPAR_WHOLE:-0} ? 2 * MOMENTS : MOMENTS))

# The member's place in md, read without starting a process.
slot_of() { read -r SLOT <"/sys/block/$MD/md/dev-$1/slot" || SLOT=; }

# rejoin NAME: wait until the member has its place, which is before the sets rebuild it.
rejoin() {
	local deadline=$((SECONDS + 30))
	manage --add "/dev/$1"
	slot_of "$1"
	while [ "$SLOT" = none ]; do
		[ "$SECONDS" -le $deadline ] || fail "$1 has got no place"
		slot_of "$1"
	done
}

# The added member fails a little later in each round.
fail_at_once() {
	local name=$1 round sum
	fill 8
	sum=$(fingerprint 8)
	manage --fail "/dev/$name"
	for ((round = 0; round < ROUNDS; round++)); do
		wait_for "/sys/block/$MD/md/dev-$name/slot" none 30
		manage --remove "/dev/$name"
		mdadm --zero-superblock "/dev/$name"
		rejoin "$name"
		spin $((round % MOMENTS * 50))
		echo faulty >"/sys/block/$MD/md/dev-$name/state"
	done
	wait_for "/sys/block/$MD/md/dev-$name/slot" none 30
	manage --remove "/dev/$name"
	manage --add "/dev/$name"
	wait_whole
	assert_eq "$(fingerprint 8)" "$sum" "content"
	no_mismatch
}

work() { fail_at_once "${DISKS[$MEMBER]}"; }

for MEMBER in 1 4; do with_par 3,5 24M work --chunk=64; done
