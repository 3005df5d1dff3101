# shellcheck shell=bash
# Functions for tests of power: an array of spindle disks that stop and start as disks of sd do, in
# virtual time. With POWER_DISKS=scsi they are disks of sd.

# shellcheck source=par.sh
. "$(dirname "${BASH_SOURCE[0]}")/par.sh"

# The time in which a disk starts.
UP_MS=15000

# power_disks COUNT [ATTRIBUTE=VALUE...]; power_disks_gone
power_disks() {
	local count=$1
	shift
	mkspindles "$count" 48M spin_up_ms="$UP_MS" spin_down_ms=2000 "$@"
}
power_disks_gone() { rmdisks; }

# member D FILE: print a sysfs file of the member; disk D FILE: print a file of its spindle disk.
member() { cat "/sys/block/$MD/md/par/member$1/$2"; }
disk() { cat "$SPINDLES/${DISKS[$1]}/$2"; }
wait_state() { wait_for "$SPINDLES/${DISKS[$1]}/state" "$2" "${3:-60}"; }
set_par() { echo "$2" >"/sys/block/$MD/md/par/$1"; }
set_member() { echo "$3" >"/sys/block/$MD/md/par/member$1/$2"; }
set_disk() { echo "$3" >"$SPINDLES/${DISKS[$1]}/$2"; }
pm_of() { echo "/sys/block/${DISKS[$1]}/device/power/$2"; }

# power_array LAYOUT [ATTRIBUTE=VALUE...]: make disks that take some time to start and to stop, and an
# array on them with some data.
power_array() {
	local layout=$1
	shift
	power_disks "$(top_gear "$layout")" "$@"
	create_par "$layout" --chunk=64
	fill 4
}

# sleepers: print the members that sleep in the lowest gear.
sleepers() { seq "$(low_gear "$LAYOUT")" $((${#DISKS[@]} - 1)); }

# wait_stopped D...: wait until these disks are stopped. wait_asleep: wait until those of all sleepers are.
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

# up: shift to the top gear. asleep N: shift down and write at N MiB, so that a shift up has data to copy home.
up() { set_par gear "$(top_gear "$LAYOUT")"; gear_is "$(top_gear "$LAYOUT")" 300; }
asleep() { down; fill 1 "$1"; SUM=$(fingerprint); }

# mdstat_is N WHAT: so many of five members are whole.
mdstat_is() { assert_match "$(</proc/mdstat)" "\\[5/$1\\]" "$2: mdstat"; }

# down: shift to the lowest gear, and wait until its sleepers are stopped.
down() {
	shift_to "$(low_gear "$LAYOUT")"
	wait_asleep
}

# starts: print the number of starts of each sleeper's disk, as the disk has counted them.
starts() {
	local d
	for d in $(sleepers); do echo "$d:$(disk "$d" starts)"; done
}

# read_disk D: read a block of the disk past the page cache.
read_disk() { dd if="/dev/${DISKS[$1]}" of=/dev/null bs=4k count=1 iflag=direct status=none; }

# rejoin D: read the disk of a removed member, which can start again, add it, and wait for its rebuild.
rejoin() {
	read_disk "$1"
	mdadm --quiet "/dev/$MD" --add "${DEVS[$1]}"
	wait_for "/sys/block/$MD/md/degraded" 0
	wait_for "/sys/block/$MD/md/sync_action" idle
	assert_eq "$(member "$1" power_state)" active "power_state"
	assert_eq "$(fingerprint)" "$SUM" "content after it is rebuilt"
}

# gear_is GEAR [SECONDS]: wait until the array is in that gear.
gear_is() { wait_for "/sys/block/$MD/md/par/gear" "$1" "${2:-60}"; }

# shellcheck source=scsi.sh
[ "${POWER_DISKS:-}" != scsi ] || . "$TOOLS/scsi.sh"
