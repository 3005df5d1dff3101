#!/bin/bash
# In hours in a low gear, with reads, writes, flushes, a file system, mdstat, mdadm --detail and --monitor, no sleeper wakes.
# plain: yes
# timeout: 900
# RAIDPAR_WHOLE=1: a whole day.
# machine: --debug --time-travel
. "$(dirname "$0")/../tools/power.sh"

MINUTES=${RAIDPAR_MINUTES:-$((${RAIDPAR_WHOLE:-0} ? 1440 : 180))}

mkdir -p /mnt
power_array 3,5
mkfs.ext4 -q "/dev/$MD"
mount "/dev/$MD" /mnt
down
BEFORE=$(starts)
mdadm --monitor --delay=60 --program=/bin/true "/dev/$MD" >/dev/null &
MONITOR=$!

note "$MINUTES minutes"
for ((minute = 0; minute < MINUTES; minute++)); do
	nap 60
	cat /proc/mdstat >/dev/null
	mdadm --detail "/dev/$MD" >/dev/null
	case $((minute % 12)) in
	3) dd if=/dev/urandom of="/mnt/$((minute % 7))" bs=16k count=4 conv=fsync status=none ;;
	6) fingerprint 1 >/dev/null ;;
	esac
done
kill "$MONITOR"
wait "$MONITOR" || true
assert_eq "$(starts)" "$BEFORE" "starts in $MINUTES minutes"

note "every file there is, unmounting, stopping"
grep -r . "/sys/block/$MD/md/" "/sys/block/${DISKS[4]}" >/dev/null 2>&1 || true
assert_le $((MINUTES * 60)) "$(member 4 seconds_asleep)" "seconds asleep"
assert_eq "$(member 4 spin_ups)" 0 "spin_ups"
umount /mnt
stop_par
assert_eq "$(starts)" "$BEFORE" "starts after a stop"
for d in $(sleepers); do assert_eq "$(disk "$d" state)" standby "disk $d after the stop"; done
