#!/bin/bash
# Members that never sleep are larger than the others: the lowest gear set, which lies behind the end of the others, is checked, and rebuilt on a new member.
# RAIDPAR_WHOLE=1: the gear region begins behind the others' end with small tracts, too.
# plain: yes
. "$(dirname "$0")/../tools/par.sh"

# scrubbed_since TIME: a check of all sets has begun since then.
scrubbed_since() {
	local set at
	while read -r set at; do
		[ "$at" -ge "$1" ] || fail "the set of $set members was last read $(($1 - at)) s before the check"
	done <"/sys/block/$MD/md/par/scrub_last"
}

# by_mdadm MIB: as a user creates the array. in_tracts MIB: with many small tracts.
by_mdadm() { create_par 3,5 --chunk=64 --data-offset=1M --image-share=25; }
in_tracts() { STEADY=$(((63 + $1) * 2048)) create_shared 25 3,5 --chunk=64; }

# work MIB CREATE: the members that never sleep have MIB more than the 64 of the others.
work() {
	local sum low began
	note "$1 MiB more, $2"
	mkspindles 3 "$((64 + $1))M"
	mkspindles 2 64M
	"$2" "$1"
	assert_match "$(mdadm --examine "${DEVS[4]}")" " Steady Size : $(((63 + $1) * 2048)) sectors" "--examine"
	fill "$(array_mib)"
	settle
	sum=$(fingerprint)
	shift_to 3
	low=$(fingerprint 4)
	assert_eq "$(par gear)" 3 "gear after a read of runs with slots"
	shift_to 5

	note "a check"
	began=$(date +%s)
	nap 1
	no_mismatch
	scrubbed_since "$began"

	note "a new member"
	take_out 0
	mkspindles 1 "$((64 + $1))M"
	put_in 5
	rmdir "$SPINDLES/${DISKS[0]}"
	DEVS[0]=${DEVS[5]} DISKS[0]=${DISKS[5]}
	unset 'DEVS[5]' 'DISKS[5]'
	assert_eq "$(fingerprint)" "$sum" "content after the rebuild"
	shift_to 3
	watch_sleepers
	assert_eq "$(fingerprint 4)" "$low" "runs with slots after the rebuild"
	assert_asleep "runs with slots"
	shift_to 5
	no_mismatch

	note "the member is needed"
	take_out 1
	assert_eq "$(fingerprint)" "$sum" "content without another member"
	end_par
}

# A part of the gear region lies before the others' end; it begins behind it.
work 8 in_tracts
work 64 by_mdadm
[ -z "${RAIDPAR_WHOLE:-}" ] || work 64 in_tracts
