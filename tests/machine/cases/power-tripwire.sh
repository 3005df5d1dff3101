#!/bin/bash
# With stopped sleepers that fail every request, nothing fails in a low gear, nor when the array stops.
# machine: --debug --time-travel
export POWER_DISKS=scsi
. "$(dirname "$0")/../tools/power.sh"

# send COMMAND: send it to the disks of all sleepers.
send() {
	local d
	for d in $(sleepers); do "$TOOLS/sg.py" "$1" "${DEVS[$d]}"; done
}

# trip: check that a request to a sleeper returns an error: the test would show nothing otherwise.
trip() {
	local d
	for d in $(sleepers); do refused read_disk "$d"; done
}

# quiet WHAT: no sleeper received a request, no request failed, all members are whole.
quiet() {
	local d
	sent_none "$1"
	assert_eq "$(log_since | grep -v EXT4-fs)" "" "$1: log"
	assert_match "$(</proc/mdstat)" '\[5/5\] \[UUUUU\]' "$1: mdstat"
	for d in $(sleepers); do
		assert_match "$("$TOOLS/sg.py" sense "${DEVS[$d]}")" ' 2/04/02$' "$1: disk $d"
	done
}

# used: use the array while its sleepers are stopped.
used() {
	trip
	watch_commands
	mark_log
	use_array
	mkfs.ext4 -q "/dev/$MD"
	mount "/dev/$MD" /mnt
	cp -r /usr/include/linux/netfilter /mnt
	sync -f /mnt
	nap 60
	umount /mnt
	quiet used
	SUM=$(fingerprint)
}

# stopped: stop the array with its sleepers stopped, and assemble it once they turn.
stopped() {
	watch_commands
	mark_log
	stop_par
	sent_none "stopping"
	assert_eq "$(log_since | grep -vE 'md0 stopped|md0: detected capacity')" "" "stopping: log"
	send start
	assemble_par
	assert_eq "$(fingerprint)" "$SUM" "content, assembled again"
}

# logically WHAT: the members sleep, but their devices are not stopped.
logically() {
	local d
	for d in $(sleepers); do
		wait_for "/sys/block/$MD/md/par/member$d/power_state" "$1" 30
		assert_eq "$(disk "$d" state)" idle "disk $d, left alone"
	done
}

mkdir -p /mnt

note "disks that could be stopped, with spin off"
power_array 3,5
set_par spin off
shift_to 3
logically active
send stop
used
stopped
send stop
note "up: whoever has stopped them starts them first"
send start
shift_to 5
assert_eq "$(fingerprint)" "$SUM" "content"
assert_match "$(</proc/mdstat)" '\[5/5\] \[UUUUU\]' "mdstat"
stop_par
dissect
rmscsi

note "partitions: uevents tell user space when to stop their disks; sd starts the disks (allow_restart)"
mkscsi 5 48M num_parts=2
for d in 0 1 2 3 4; do
	wait_for "/sys/class/block/${DISKS[$d]}2/partition" 2
	DISKS[d]+=1
	DEVS[d]+=1
done
start_events
create_par 3,5 --chunk=64
for d in $(sleepers); do assert_eq "$(member "$d" power_control)" logical "power_control"; done
fill 4
shift_to 3
logically asleep
told 'sleep .* POWER=logical' 2
while read -r _ event _ device power; do
	[ "$event $power" != "sleep POWER=logical" ] || "$TOOLS/sg.py" stop "/dev/${device#DEVICE=}"
done <"$EVENTS"
for d in $(sleepers); do assert_eq "$(disk "$d" state)" standby "disk $d"; done
used
stopped
send stop
for d in $(sleepers); do set_sd "$d" allow_restart 1; done
shift_to 5
for d in $(sleepers); do assert_eq "$(member "$d" spin_ups)" 1 "spin_ups of member $d"; done
told 'wake .* CAUSE=gear .*' 2
assert_eq "$(fingerprint)" "$SUM" "content"
assert_match "$(</proc/mdstat)" '\[5/5\] \[UUUUU\]' "mdstat"
stop_par
dissect
kill "$EVENT_READER"
rmscsi
