#!/bin/bash
# A start or stop of a disk of sd that returns an error is retried; a disk that needs 30 s is only slow; one that never answers is failed after twice its time-out.
# machine: --debug --time-travel
export POWER_DISKS=scsi
. "$(dirname "$0")/../tools/power.sh"

# Disk 4 returns HARDWARE ERROR for some START STOP UNIT commands, or does not answer some or
# all of them, or works again. See scsi_debug's `error` in debugfs.
inject() { echo "$1" >"/sys/kernel/debug/scsi_debug/${SCSI_IDS[4]}/error"; }
errs() { inject "2 ${1:+-}${1:-1} 0x1b 0 0 0x2 0x4 0x44 0x0"; }
mute() { inject "0 ${1:+-}${1:-1} 0x1b"; }
well() { inject "2 0 0x1b 0 0 0 0 0 0"; inject "0 0 0x1b"; }

power_array 3,5
set_par wake_timeout 20

note "two starts return an error"
asleep 1
errs 2
mark_log
ms_of up
assert_le $((3000 + UP_MS)) "$MS" "ms"
assert_le "$MS" $((4999 + UP_MS)) "ms"
mdstat_is 5 "two errors"
assert_match "$(log_since)" "member 4 \\(${DISKS[4]}\\) does not start" "log"
assert_eq "$(disk 4 starts)" 1 "starts"
assert_eq "$(member 4 spin_ups)" 1 "spin_ups"
settle
assert_eq "$(fingerprint)" "$SUM" "content"
well

note "another process's requests during the start return an error or wait, and the start continues"
asleep 2
errs 2
(for _ in 1 2 3 4 5 6; do read_disk 4 2>/dev/null || true; nap 1; done) &
up
wait $!
mdstat_is 5 "a stranger"
settle
assert_eq "$(fingerprint)" "$SUM" "content"
read_disk 4
well

note "it does not answer the first start, for 30 s"
asleep 3
mute 1
mark_log
ms_of up
assert_le 31000 "$MS" "ms"
assert_le "$MS" 35999 "ms"
mdstat_is 5 "30 s"
assert_match "$(log_since)" "member 4 \\(${DISKS[4]}\\) has not woken up in 20 s" "log"
settle
assert_eq "$(fingerprint)" "$SUM" "content"
well

note "a stop returns an error, and the flush before a stop: the stop is retried"
set_par stop_after 20
errs 1
mark_log
down
assert_match "$(log_since)" "member 4 \\(${DISKS[4]}\\) cannot be stopped: error -5" "log"
assert_eq "$(disk 4 state)" standby "disk 4"
well
read_disk 4
inject "2 -5 0x35 0 0 0x2 0x4 0x44 0x0"	# sd itself tries four times
mark_log
wait_stopped 4
assert_match "$(log_since)" "member 4 \\(${DISKS[4]}\\) cannot be stopped: error -5" "log of the flush"
BEEN=$(member 4 spin_ups)
fill 1 4
SUM=$(fingerprint)
up
assert_eq "$(member 4 spin_ups)" $((BEEN + 1)) "spin_ups"
mdstat_is 5 "after stops that erred"
settle
assert_eq "$(fingerprint)" "$SUM" "content"

# lost: member 4 has failed after twice 20 s, and not earlier.
lost() {
	ms_of up
	assert_le 40000 "$MS" "ms until it is failed"
	assert_le "$MS" 46999 "ms until it is failed"
	mdstat_is 4 lost
	settle
	assert_eq "$(fingerprint)" "$SUM" "content without it"
}

# back: the member is removed, works again, is started by sd, and is rebuilt.
back() {
	wait_for "/sys/block/$MD/md/dev-${DISKS[4]}/slot" none 120
	mdadm --quiet "/dev/$MD" --remove "${DEVS[4]}"
	well
	echo 1 >"/sys/block/${DISKS[4]}/device/rescan"
	rejoin 4
}

note "each start returns an error"
asleep 1
errs
lost
back

note "no start is answered"
asleep 2
mute
lost
back

note "and it goes on"
down
shift_to 5
assert_eq "$(fingerprint)" "$SUM" "content"
stop_par
dissect
rmscsi
