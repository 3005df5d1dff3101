#!/bin/bash
# With two parities, a second member fails during the rebuild of the first: all data is right, and both rebuilds complete.
# plain: yes
# subject: member
# timeout: 600
# RAIDPAR_WHOLE=1: more pairs of members.
. "$(dirname "$0")/../tools/par.sh"

CONV=notrunc
MIB=48

degraded() { wait_for "/sys/block/$MD/md/degraded" "$1" 120; }

# lose HOW MEMBER: fail the member by mdadm, or let its disk die.
lose() {
	case $1 in
	failed) manage --fail "${DEVS[$2]}" ;;
	dead) echo 1 >"$SPINDLES/${DISKS[$2]}/dead" ;;
	esac
}

# gone MEMBER: wait until the sets have detached the member, remove it, and make its disk a new one.
gone() {
	detached "$1"
	manage --remove "${DEVS[$1]}"
	echo 0 >"$SPINDLES/${DISKS[$1]}/dead"
	dd if=/dev/urandom of="${DEVS[$1]}" bs=1M oflag=direct status=none 2>/dev/null || true
}

# rebuild_slowly MEMBER: rebuild slowly, and return after a small part of it.
rebuild_slowly() {
	echo 500 >"/sys/block/$MD/md/sync_speed_max"
	echo 500 >"/sys/block/$MD/md/sync_speed_min"
	manage --add "${DEVS[$1]}"
	wait_for "/sys/block/$MD/md/sync_action" recover
	wait_for "/sys/block/$MD/md/sync_completed" '[1-9]* / *'
}

full_speed() {
	echo system >"/sys/block/$MD/md/sync_speed_min"
	echo 1000000 >"/sys/block/$MD/md/sync_speed_max"
}

rebuilt() {
	full_speed
	degraded "$1"
	wait_for "/sys/block/$MD/md/sync_action" idle
	settle
}

# right_everywhere: the data is right in each gear, and on the disks of the stopped array.
right_everywhere() {
	local gear
	for gear in $(down_and_up "$LAYOUT"); do
		shift_to "$gear"
		is_right "$WAY, in gear $gear"
	done
	stop_par
	dissect
	assemble_par
}

# second GEAR FIRST HOW SECOND: member FIRST fails in GEAR, after data was written in that gear.
second() {
	local gear=$1 first=$2 how=$3 second=$4
	WAY="gear $gear: member $first, then member $second $how"
	note "$LAYOUT, $WAY"
	put 1M 0 $MIB
	shift_to "$(low_gear "$LAYOUT")"
	shift_to "$gear"
	put 1M 20 8
	lose failed "$first"
	gone "$first"
	rebuild_slowly "$first"
	lose "$how" "$second"
	put 1M 30 4	# a write to the member notices the failure
	degraded 2
	is_right "$WAY, with two members gone"
	put 1M 2 4
	rebuilt 1
	is_right "$WAY, with the first rebuilt"
	gone "$second"
	manage --add "${DEVS[$second]}"
	rebuilt 0
	is_right "$WAY, with both rebuilt"
	no_mismatch
	right_everywhere
}

begin() {
	on_spindles "$1" 64M
}

begin raid6:4,6
second 6 4 dead 0
if [ -n "${RAIDPAR_WHOLE:-}" ]; then
	second 4 1 failed 5
	second 4 5 dead 4
	second 6 2 failed 3
fi
end_par

begin raid6:4,5,7
second 4 4 failed 6
if [ -n "${RAIDPAR_WHOLE:-}" ]; then
	second 4 4 dead 6
	second 5 6 dead 0
fi
end_par
