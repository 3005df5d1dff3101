#!/bin/bash
# A read-only array is never written, however and whenever it became read-only: not by shifts, resyncs, checks, corrections, nor by a stop.
# subject: life
# timeout: 400
. "$(dirname "$0")/../tools/par.sh"

modprobe spindle

# Do everything that a user may do with a read-only array. Nothing of it writes.
use_read_only() {
	assert_eq "$(fingerprint 8)" "$SUM" "$1: content"
	refused dd if=/dev/zero of="/dev/$MD" bs=4k count=1 oflag=direct status=none
	refused bash -c "echo 5 >/sys/block/$MD/md/par/gear"
	nap 0.5
}

# unwritten WHAT COMMAND...: no sector is written while the command runs.
unwritten() {
	local what=$1 before
	shift
	before=$(writes_so_far)
	"$@"
	assert_eq "$(writes_so_far)" "$before" "$what: sectors written"
}

start_read_only() {
	mdadm --assemble --quiet --readonly "/dev/$MD" "${DEVS[@]}"
	use_read_only "assembled with --readonly"
	stop_par
}

start_auto() {
	assemble_par
	assert_eq "$(cat "/sys/block/$MD/md/array_state")" read-auto "with start_ro"
	assert_eq "$(fingerprint 8)" "$SUM" "auto-read-only: content"
	nap 0.5
	stop_par
}

# turn_read_only HOW STATE: make the array read-only while the mover is in STATE. Nothing is
# written from then on, and the mover continues when the array is writable again.
turn_read_only() {
	local how=$1 state=$2
	wait_for "/sys/block/$MD/md/par/shift_state" "$state"
	case $how in
	mdadm) mdadm --readonly "/dev/$MD" ;;
	sysfs) echo readonly >"/sys/block/$MD/md/array_state" ;;
	auto) echo read-auto >"/sys/block/$MD/md/array_state" ;;
	esac
	unwritten "$how, $state" nap 1
	assert_eq "$(par shift_state)" idle "$how: the mover"
	assert_eq "$(fingerprint 20)" "$SUM" "$how, $state: content"
	case $how in
	mdadm) mdadm --readwrite "/dev/$MD" ;;
	sysfs) echo active >"/sys/block/$MD/md/array_state" ;;
	auto) fill 1 30 ;;
	esac
}

# The array becomes read-only during a shift down, and during the propagation after a shift up.
read_only_moving() {
	local how
	for how in mdadm sysfs auto; do
		note "turned read-only while shifting, by $how"
		shift_to 5
		fill 20
		SUM=$(fingerprint 20)
		echo 1000 >"/sys/block/$MD/md/par/speed_min"
		echo 1000 >"/sys/block/$MD/md/par/speed_max"
		echo 3 >"/sys/block/$MD/md/par/gear"
		turn_read_only "$how" down
		wait_for "/sys/block/$MD/md/par/shift_state" down
		echo 200000 >"/sys/block/$MD/md/par/speed_max"
		settle
		assert_eq "$(par gear)" 3 "gear afterwards"
		fill 20
		SUM=$(fingerprint 20)
		echo 1000 >"/sys/block/$MD/md/par/speed_max"
		echo 5 >"/sys/block/$MD/md/par/gear"
		turn_read_only "$how" propagate
		wait_for "/sys/block/$MD/md/par/shift_state" propagate
		echo 200000 >"/sys/block/$MD/md/par/speed_max"
		settle
		assert_eq "$(fingerprint 20)" "$SUM" "content afterwards"
	done
}

# Unreadable blocks are computed from the other members, and corrected only when the array is writable.
read_only_errors() {
	local way member sector
	for way in "--readonly" "start_ro"; do
		note "unreadable sectors, $way"
		stop_par
		read -r member sector < <(dissect --where 1)
		[ "$way" != start_ro ] || echo 1 >"$START_RO"
		mdadm --assemble --quiet ${way/#start_ro/--run} "/dev/$MD" "${DEVS[@]}"
		echo "read $sector 64" >"$SPINDLES/${DISKS[member]}/errors"
		unwritten "unreadable, $way" assert_eq "$(fingerprint 8)" "$SUM" "content"
		assert_ne "$(<"$SPINDLES/${DISKS[member]}/errors")" "" "corrected in a read-only array"
		assert_eq "$(<"/sys/block/$MD/md/degraded")" 0 "failed members"
		[ "$way" != --readonly ] || mdadm --readwrite "/dev/$MD"
		fill 1 30
		sync_now repair
		wait_for "$SPINDLES/${DISKS[member]}/errors" ""
		echo 0 >"$START_RO"
	done
}

on_spindles 3,5 48M
fill 8
SUM=$(fingerprint 8)

note "turned read-only in the low gear"
shift_to 3
mdadm --readonly "/dev/$MD"
unwritten "--readonly" use_read_only "--readonly"
mdadm --readwrite "/dev/$MD"
fill 8
SUM=$(fingerprint 8)

note "the block device set read-only"
blockdev --setro "/dev/$MD"
refused dd if=/dev/zero of="/dev/$MD" bs=4k count=1 oflag=direct status=none
blockdev --setrw "/dev/$MD"
fill 8
SUM=$(fingerprint 8)

note "assembled read-only in the low gear, clean and after a crash"
stop_par
unwritten "clean" start_read_only
echo 1 >"$START_RO"
unwritten "clean, start_ro" start_auto
assemble_par
fill 8
SUM=$(fingerprint 8)
power_cut 1
unwritten "after a crash" start_read_only
unwritten "after a crash, start_ro" start_auto

note "the first write makes it writable, and the resync begins"
assemble_par
fill 1 20
wait_for "/sys/block/$MD/md/par/resync" none
assert_eq "$(fingerprint 8)" "$SUM" "in the end"
shift_to 5
stop_par
dissect

note "stopped being written in the midst of a resync"
echo 0 >"$START_RO"
assemble_par
fill 40
power_cut 2
echo 100 >/proc/sys/dev/raid/speed_limit_max
assemble_par
fill 1
assert_ne "$(par resync)" none "the resync is slow"
mdadm --readonly "/dev/$MD"
unwritten "resync" nap 1
mdadm --readwrite "/dev/$MD"
echo 200000 >/proc/sys/dev/raid/speed_limit_max
wait_for "/sys/block/$MD/md/par/resync" none
stop_par
dissect
assemble_par
SUM=$(fingerprint 8)
read_only_errors
read_only_moving
shift_to 5
end_dissected
