#!/bin/bash
# Each reason for which the size of the log cannot be changed has its own message, nothing is lost, and the change is made when the reason has gone.
# machine: --debug --time-travel
. "$(dirname "$0")/../tools/log.sh"

set_size() { echo "$1" >"$PAR/log_size"; }

# not_set SIZE ERROR MESSAGE: this is refused with the error, for which the kernel log has only this message.
not_set() {
	mark_log
	refused set_size "$1"
	assert_match "$REFUSAL" "$2" "error"
	logged "$3"
	assert_eq "$(log_since | grep -c 'md/par')" 1 "messages"
}

# is_set SIZE WHEN: this is done, and nothing is lost.
is_set() {
	set_size "$1"
	assert_eq "$(par log_size)" "$1" "size $2"
	same "$2"
}

# drained: in the top gear.
drained() {
	shift_to 5
	wait_for "$PAR/log_used" 0 60
	wait_for "$PAR/log_state" empty
}

mkspindles 5 64M
# Without this, dmsetup leaves the node to udev, if the host has that.
export DM_DISABLE_UDEV=1
dmsetup create held --table "0 $(blockdev --getsz "${DEVS[0]}") linear ${DEVS[0]} 0"
DEVS[0]=/dev/mapper/held
create_logged 3,5 8 --chunk=64
fill_twin
whole=$(par log_size)
for size in 1 $((3 << 20)) $((whole + (512 << 10))) $((1 << 62)) x; do not_set "$size" 'Invalid argument' 'log_size takes bytes from'; done

note "a record that cannot be read"
shift_to 3
find_log
for i in 200 201 202; do write_blocks "$i"; done
stop_par
wipe_log 0 2
auto_read_only assemble_par
cut_off_log 1 2 2
mark_log
refused set_size $((6 << 20))
assert_match "$REFUSAL" 'Input/output error' "error"
logged 'some records of the write log cannot be read, so it cannot be changed'
mend_disks
drained
assert_eq "$(par log_lost)" 0 "bytes that are lost"
is_set $((6 << 20)) "when all records can be read"

note "records"
shift_to 3
write_blocks 192 60
not_set "$whole" 'Device or resource busy' 'can be changed only while it is empty: shift to the top gear'

note "a drain that takes long, and another change meanwhile"
for d in 0 1 2; do cut_off_log "$d"; done
echo 5 >"$PAR/gear"
wait_for "$PAR/gear" 5
# If the test fails here, the machine must be able to end.
trap 'dmsetup resume held' EXIT
dmsetup suspend --noflush --nolockfs held
mend_disks
nap 20	# the drain is retried
assert_eq "$(par log_state)" draining "state of the log"
mark_log
set_size "$whole" 2>"$MACHINE_TMP/late" &
nap 2
not_set "$whole" 'Operation already in progress' 'another change of log_size is under way'
mark_log
! wait "$!" || fail "the size is changed during a drain"
assert_match "$(<"$MACHINE_TMP/late")" 'Connection timed out' "error"
logged 'has not begun within 10 s'
dmsetup resume held
trap - EXIT
drained
is_set "$whole" "after the drain"

note "a lost block"
shift_to 3
write_blocks 300
for d in 0 1 2; do deafen_log "$d"; done
drained
mend_disks
assert_eq "$(par log_lost)" 4096 "bytes that are lost"
not_set 0 'Structure needs cleaning' 'has lost blocks, which can be written only through it'
set_size $((6 << 20))
write_blocks 300
drained
is_set 0 "when nothing is lost any more"
is_set "$whole" "switched on again"

note "read-only"
mdadm --readonly "/dev/$MD"
not_set 0 'Read-only file system' 'the array is read-only and cannot store settings'
mdadm --readwrite "/dev/$MD"
is_set $((6 << 20)) "when it is writable again"

note "too many members have failed"
for d in 3 4; do echo 1 >"$SPINDLES/${DISKS[d]}/dead"; done
write_some 1 20 2>/dev/null || true
wait_for "/sys/block/$MD/md/array_state" broken
nap 5
not_set "$whole" 'Input/output error' 'the write log cannot be changed, as too many members have failed'
assert_eq "$(par log_size)" $((6 << 20)) "size"
stop_par
dmsetup remove held
