#!/bin/bash
# If only one member has the newest superblock and cannot read its metadata blocks, the blocks of members that lack nothing else are used.
# subject: crash
# timeout: 600
# rare: yes
. "$(dirname "$0")/../tools/par.sh"

# begin GEAR: create an array that is in use, with intents and a map that has been stored twice, and cut the power while
# the next superblock is written, so that only member 0 has it.
begin() {
	on_spindles 3,5 64M
	stop_par
	HOME_AT=$(dissect --home)
	assemble_par
	fill 12
	shift_to 3
	shift_to 5
	fill 4 8
	shift_to 3
	[ "$1" = 3 ] || shift_to 5
	fill 4 16
	SUM=$(fingerprint 24)
	keep_supers 1 2 3 4
	echo 123456 >"/sys/block/$MD/md/par/speed_max"
	power_cut 3
	put_supers 1 2 3 4
	assert_eq "$("$TOOLS/spoil.py" seq "${DEVS[0]}")" $(($("$TOOLS/spoil.py" seq "${DEVS[1]}") + 1)) \
		"version of member 0"
}

# no_blocks MEMBER...: make all metadata of these members except the superblocks unreadable.
no_blocks() {
	local d at
	for d in "$@"; do
		at=$(($(data_offset "${DEVS[d]}") + 128))
		echo "read $at $((HOME_AT - at))" >"$SPINDLES/${DISKS[d]}/errors"
	done
}

# The content is right, and the blocks that member 0 cannot read are written again.
end() {
	assert_eq "$(fingerprint 24)" "$SUM" "$1: content"
	fill 1 30
	settle
	no_mismatch
	stop_par
	echo clear >"$SPINDLES/${DISKS[0]}/errors"	# of blocks that were not stored again
	dissect
	rmdisks
}

note "all blocks of member 0 are unreadable"
begin 5
no_blocks 0
assemble_par || fail "refused, though members 1 and 2 have all blocks"
end "unreadable"

note "gear 3: the newer version of each block of member 0 is corrupt"
begin 3
"$TOOLS/spoil.py" corrupt --blocks all "${DEVS[0]}"
assemble_par
end "corrupt"

note "blocks of sleepers are not used: they lack changes stored while the members slept"
begin 3
no_blocks 0 1 2
refused mdadm --assemble --quiet "/dev/$MD" "${DEVS[@]}"
