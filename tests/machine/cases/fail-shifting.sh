#!/bin/bash
# A member fails during a shift down in an array of three gears; the sleepers that the mover then needs are woken, and nothing hangs.
# subject: member
. "$(dirname "$0")/../tools/par.sh"

# Slow disks: the member fails while copies are under way.
on_disks 3,5,8 64M irqmode=2 completion_nsec=3000000
fill 24

# fail_during FROM TO MEMBER: the member fails during the shift from FROM to TO.
fail_during() {
	local writer
	note "from $1 to $2, without member $3"
	shift_to "$1"
	fill 6 8
	dd if=/dev/urandom of="$MACHINE_TMP/data" bs=1M count=6 status=none
	dd if="$MACHINE_TMP/data" of="/dev/$MD" bs=64k seek=48 oflag=direct conv=notrunc status=none &
	writer=$!
	echo "$2" >"/sys/block/$MD/md/par/gear"
	until [[ $(par shift_progress) =~ ^[1-9][0-9]*\ / ]] || [ "$(par shift_state)" = idle ]; do nap 0.005; done
	mdadm --fail "/dev/$MD" "${DEVS[$3]}" 2>/dev/null
	wait_for "/sys/block/$MD/md/par/gear" 8 90
	wait "$writer" || fail "a write failed"
	settle
	cmp -n 6M "$MACHINE_TMP/data" <(dd if="/dev/$MD" bs=64k skip=48 count=96 iflag=direct status=none) ||
		fail "not what was written"
	detached "$3"
	manage --remove "${DEVS[$3]}"
	put_in "$3"
}

for member in 1 0 4 2; do fail_during 5 3 "$member"; done
for member in 1 6; do fail_during 8 3 "$member"; done
settle
sum=$(fingerprint)
for gear in 3 5 8; do
	shift_to "$gear"
	assert_eq "$(fingerprint)" "$sum" "content in gear $gear"
done
end_dissected
