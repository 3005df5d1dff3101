# shellcheck shell=bash
# What the tests of power share: an array of spindles that stop and start as sd's
# disks do, in simulated time. With POWER_DISKS=scsi they are sd's.

# shellcheck source=par.sh
. "$(dirname "${BASH_SOURCE[0]}")/par.sh"

# What a disk takes to start.
UP_MS=15000

# power_disks COUNT [ATTRIBUTE=VALUE...]; power_disks_gone
power_disks() {
	local count=$1
	shift
	mkspindles "$count" 48M spin_up_ms="$UP_MS" spin_down_ms=2000 "$@"
}
power_disks_gone() { rmdisks; }

# member D FILE; disk D FILE: what sysfs says of the member, and its disk of itself.
member() { cat "/sys/block/$MD/md/par/member$1/$2"; }
disk() { cat "$SPINDLES/${DISKS[$1]}/$2"; }
wait_state() { wait_for "$SPINDLES/${DISKS[$1]}/state" "$2" "${3:-60}"; }
set_par() { echo "$2" >"/sys/block/$MD/md/par/$1"; }
set_member() { echo "$3" >"/sys/block/$MD/md/par/member$1/$2"; }
set_disk() { echo "$3" >"$SPINDLES/${DISKS[$1]}/$2"; }
pm_of() { echo "/sys/block/${DISKS[$1]}/device/power/$2"; }

# power_array LAYOUT [ATTRIBUTE=VALUE...]: disks that take some time to start and to
# stop, and an array on them with some data.
power_array() {
	local layout=$1
	shift
	power_disks "$(top_gear "$layout")" "$@"
	create_par "$layout" --chunk=64
	fill 4
}

# sleepers: the members that the lowest gear leaves out.
sleepers() { seq "$(low_gear "$LAYOUT")" $((${#DISKS[@]} - 1)); }

# wait_stopped D...: until these are. wait_asleep: until all sleepers are.
wait_stopped() {
	local d
	for d in "$@"; do
		wait_for "/sys/block/$MD/md/par/member$d/power_state" asleep 600
		wait_state "$d" standby 600
	done
}

wait_asleep() {
	local d
	for d in $(sleepers); do wait_stopped "$d"; done
}

# down: to the lowest gear, and its sleepers stop.
down() {
	shift_to "$(low_gear "$LAYOUT")"
	wait_asleep
}

# starts: how often the sleepers have been started, as the disks know it.
starts() {
	local d
	for d in $(sleepers); do echo "$d:$(disk "$d" starts)"; done
}

# ms_of COMMAND...: how long that took, into MS.
ms_of() {
	local start=${EPOCHREALTIME/./}
	"$@"
	# shellcheck disable=SC2034  # for the caller
	MS=$(((${EPOCHREALTIME/./} - start) / 1000))
}

# read_disk D: a block past the page cache.
read_disk() { dd if="/dev/${DISKS[$1]}" of=/dev/null bs=4k count=1 iflag=direct status=none; }

# rejoin D: a member that was removed, and can turn again, is read, added and rebuilt.
rejoin() {
	read_disk "$1"
	mdadm --quiet "/dev/$MD" --add "${DEVS[$1]}"
	wait_for "/sys/block/$MD/md/degraded" 0
	wait_for "/sys/block/$MD/md/sync_action" idle
	assert_eq "$(member "$1" power_state)" active "power_state"
	assert_eq "$(fingerprint)" "$SUM" "content after it is rebuilt"
}

# gear_is GEAR [SECONDS]: wait for it.
gear_is() { wait_for "/sys/block/$MD/md/par/gear" "$1" "${2:-60}"; }

# shellcheck source=scsi.sh
[ "${POWER_DISKS:-}" != scsi ] || . "$TOOLS/scsi.sh"
