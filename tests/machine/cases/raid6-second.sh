#!/bin/bash
# With two parities, a second member fails during the rebuild of the first: all data is right, and both rebuilds complete.
# plain: yes
# subject: member
# timeout: 600
# RAIDPAR_WHOLE=1: more pairs of members.
. "$(dirname "$0")/../tools/par.sh"

MIB=48

degraded() { wait_for "/sys/block/$MD/md/degraded" "$1" 120; }

# right WHAT: all data is right, in any copy.
right() {
	begins_with "$MACHINE_TMP/content" $MIB || fail "$LAYOUT, $WAY: content $1"
}

# put MIB AT: write to the array, and to the file with the expected content.
put() {
	dd if=/dev/urandom of="$MACHINE_TMP/piece" bs=1M count="$1" status=none
	dd if="$MACHINE_TMP/piece" of="/dev/$MD" bs=1M seek="$2" oflag=direct conv=notrunc status=none
	dd if="$MACHINE_TMP/piece" of="$MACHINE_TMP/content" bs=1M seek="$2" conv=notrunc status=none
}

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
		right "in gear $gear"
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
	put $MIB 0
	shift_to "$(low_gear "$LAYOUT")"
	shift_to "$gear"
	put 8 20
	lose failed "$first"
	gone "$first"
	rebuild_slowly "$first"
	lose "$how" "$second"
	put 4 30	# a write to the member notices the failure
	degraded 2
	right "with two members gone"
	put 4 2
	rebuilt 1
	right "with the first rebuilt"
	gone "$second"
	manage --add "${DEVS[$second]}"
	rebuilt 0
	right "with both rebuilt"
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
