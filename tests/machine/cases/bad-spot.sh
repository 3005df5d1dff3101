#!/bin/bash
# Several adjacent segments that cannot be read are corrected by a shift down and by propagation, and the member stays; while a check keeps raid5 from correcting, none is given up.
# plain: yes
# subject: data
. "$(dirname "$0")/../tools/par.sh"

# begin SIZE CHUNK MIB: create an array with data.
begin() {
	MIB=$3
	mkspindles 5 "$1"
	create_par 3,5 --chunk="$2"
	put 1M 0 "$MIB"
	SEGMENT=$(($(par segment_kib) * 2))
	stop_par
	HOME_AT=$(dissect --home)
	assemble_par
}

# again GEAR: write all data in that gear, and empty raid5's cache.
again() {
	shift_to "$1"
	dd if="$MODEL" of="/dev/$MD" bs=1M oflag=direct conv=notrunc,fsync status=none
	reassemble_par
}

no_error() {
	all_up "$1"
	assert_eq "$(par shift_last_error)" 0 "$1: error of the shift"
}

all_well() {
	local name
	no_error "$1"
	for name in "${DISKS[@]}"; do wait_for "$SPINDLES/$name/errors" ""; done
	is_right "$1"
}

# spot MEMBER ROW SECTOR COUNT: make COUNT sectors of a member unreadable, from SECTOR of a row of the home set on.
spot() {
	note "segments of $((SEGMENT / 2)) KiB: $4 sectors of member $1, from sector $3 of row $2 on"
	again 5
	echo "read $((HOME_AT + $2 * SEGMENT + $3)) $4" >"$SPINDLES/${DISKS[$1]}/errors"
	shift_to 3
	all_well "shifting down"
}

# image_spot: the same with images, on a member that never sleeps.
image_spot() {
	local at
	note "images"
	shift_to 5
	stop_par
	at=$(dissect --where 3 | sed -n 2p)
	assemble_par
	again 3
	echo "read ${at#* } $((3 * SEGMENT))" >"$SPINDLES/${DISKS[${at% *}]}/errors"
	shift_to 5
	no_error "propagating"
	sync_now check
	all_well "propagating"
}

# busy_spot: a check begins while a shift down is under way, before the shift comes to an unreadable segment.
busy_spot() {
	local par=/sys/block/$MD/md/par md=/sys/block/$MD/md
	note "a segment that raid5 cannot correct now"
	again 5
	echo "read $((HOME_AT + 90 * SEGMENT)) 8" >"$SPINDLES/${DISKS[4]}/errors"
	echo 512 >"$par/speed_min"
	echo 4096 >"$par/speed_max"
	echo 3 >"$par/gear"
	wait_for "$par/shift_state" down
	echo 100 >"$md/sync_speed_min"
	echo 100 >"$md/sync_speed_max"
	echo check >"$md/sync_action"
	wait_for "$par/shift_state" idle
	assert_eq "$(par gear)" 5 "gear while a check is under way"
	assert_eq "$(<"$SPINDLES/${DISKS[4]}/errors")" "read $((HOME_AT + 90 * SEGMENT)) 8" "the check has not come to it"
	assert_eq "$(par shift_last_error)" -16 "error of the shift"
	assert_eq "$(par lost_copies)" 0 "bytes given up"
	echo idle >"$md/sync_action"
	echo 2097152 >"$par/speed_max"
	echo 200000 >"$md/sync_speed_max"
	shift_to 3
	all_well "shifting down later"
}

begin 64M 64 24
busy_spot
for at in "3 0 0" "4 7 40" "3 40 8"; do
	# shellcheck disable=SC2086  # three words
	spot $at $((3 * SEGMENT))
done
spot 4 2 0 $((24 * SEGMENT))
image_spot
end_par

begin 256T 2048 48
assert_eq "$SEGMENT" 4096 "sectors of a segment"
spot 4 1 $((SEGMENT - 24)) $((3 * SEGMENT))
image_spot
end_par
