#!/bin/bash
# With a sleeper lost before the resync after a crash has ended, its rebuild leaves parity right, and the data as it was while the sleeper was missing.
# subject: sync
# plain: yes
. "$(dirname "$0")/../tools/par.sh"

STRIPE=452	# of 512 in the first zone: late, so that the member is lost before the stripe is resynced
MIB=120

# A power cut during the write of a stripe may leave its parity wrong.
find_parity() {
	stop_par
	read -r MEMBER SECTOR < <(dissect --parity 5)	# of stripe 0
	MEMBER=$(((MEMBER + 5 - STRIPE % 5) % 5))
	assert_le "$MEMBER" 2 "the member with the parity, which is awake"
	assemble_par
}

spoil_parity() {
	dd if=/dev/urandom of="${DEVS[MEMBER]}" bs=512 seek=$((SECTOR + STRIPE * 128)) count=128 \
		oflag=direct conv=notrunc status=none
}

# The images of all sleepers are valid after that.
crash_in_low_gear() {
	shift_to 3
	dd if=/dev/urandom of="/dev/$MD" bs=4k count=1 oflag=direct conv=fsync,notrunc status=none
	power_cut 5
	spoil_parity
}

lose_resyncing() {
	local member=$1 content
	note "member $member"
	crash_in_low_gear
	echo 500 >/proc/sys/dev/raid/speed_limit_max	# or the resync may be over first
	assemble_par
	assert_ne "$(par resync)" none "zones to be resynced"
	mark_log
	mdadm --quiet "/dev/$MD" --fail "${DEVS[member]}"
	echo 200000 >/proc/sys/dev/raid/speed_limit_max
	wait_for "/sys/block/$MD/md/par/resync" none
	assert_match "$(log_since)" 'lost before the resync after a crash had ended' "kernel log"
	content=$(fingerprint $MIB)
	detached "$member"
	mdadm --quiet "/dev/$MD" --remove "${DEVS[member]}"
	put_in "$member"
	assert_eq "$(fingerprint $MIB)" "$content" "content after the rebuild"
	no_mismatch
}

on_spindles 3,5 64M rate_kib=16384
fill $MIB
find_parity
for lost in 4 3; do lose_resyncing "$lost"; done
shift_to 3
end_dissected
