#!/bin/bash
# An array that starts read-only or auto-read-only in its low gear stays in that gear when mdadm, sysfs or a first write makes it writable.
# subject: life
. "$(dirname "$0")/../tools/par.sh"

# asleep WHEN [STATE]: the array is idle in its low gear.
asleep() {
	nap 2
	assert_eq "$(par gear)" 3 "$1: gear"
	assert_eq "$(par shift_state)" idle "$1: the mover"
	wait_for "/sys/block/$MD/md/array_state" "${2:-clean}"
}

on_disks 3,5 96M
echo 3 >"/sys/block/$MD/md/par/gear"
wait_for "/sys/block/$MD/md/par/gear" 3
wait_for "/sys/block/$MD/md/par/shift_state" idle

note "turned read-only and back"
mdadm --readonly "/dev/$MD"
mdadm --readwrite "/dev/$MD"
asleep "--readwrite"
fill 1 8
asleep "--readwrite and written"

note "assembled read-only"
stop_par
mdadm --assemble --quiet --readonly "/dev/$MD" "${DEVS[@]}"
asleep "--assemble --readonly" readonly
mdadm --readwrite "/dev/$MD"
asleep "--assemble --readonly, --readwrite"
fill 2 8
asleep "--assemble --readonly, --readwrite, written"

note "assembled auto-read-only"
stop_par
auto_read_only assemble_par
asleep "start_ro" read-auto
fill 3 8
asleep "start_ro, written"
stop_par
auto_read_only assemble_par
echo active >"/sys/block/$MD/md/array_state"
asleep "start_ro, active"
fill 4 8
asleep "start_ro, active, written"
stop_par
