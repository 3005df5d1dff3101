#!/bin/bash
# Hot spares, --wait, --monitor and --incremental work with a par array as with other levels.
# plain: yes
# timeout: 600
. "$(dirname "$0")/../tools/par.sh"
. "$(dirname "$0")/../tools/monitor.sh"

no_event() { ! grep -E "$1" "$EVENTS" || fail "an unexpected event"; }

md_attr() { cat "/sys/block/$MD/md/$1"; }

speed() { echo "$1" >"/sys/block/$MD/md/sync_speed_max"; }

incremental() {
	local d
	for d in "$@"; do mdadm --incremental --quiet "${DEVS[d]}"; done
}

state_of() { md_attr array_state; }

mkdisks 7 48M
LAYOUT=3,5
mdadm --create "/dev/$MD" --quiet --level=par --layout=3,5 --raid-devices=5 --spare-devices=2 \
	--chunk=64 "${DEVS[@]}"
fill 32
SUM=$(fingerprint)

note "a spare takes the place of a member that fails"
refused mdadm --wait "/dev/$MD"
start_monitor "/dev/$MD"
listen
speed 3000
echo 3 >"/sys/block/$MD/md/par/gear"
settle
no_event 'Fail|Degraded|Rebuild'
mdadm --quiet "/dev/$MD" --fail "${DEVS[4]}"
wait_event "Fail ${DISKS[4]}"
heard "fail MEMBER=4 DEVICE=${DISKS[4]} LEFT=4 MEMBERS=5 STATE=degraded\$"
wait_event "RebuildStarted"
mdadm --wait "/dev/$MD"
assert_eq "$(md_attr degraded)" 0 "degraded after --wait"
wait_event "SpareActive nullb[56]"
wait_event "RebuildFinished"
assert_eq "$(par gear)" 5 "gear"
assert_eq "$(fingerprint)" "$SUM" "content"

note "the second spare takes the place of the next member that fails"
speed system
mdadm --quiet "/dev/$MD" --fail "${DEVS[1]}"
wait_event "Fail ${DISKS[1]}"
wait_for "/sys/block/$MD/md/degraded" 0
assert_eq "$(fingerprint)" "$SUM" "content"

note "a check is waited for, and is an event"
speed 10000
: >"$EVENTS"
echo check >"/sys/block/$MD/md/sync_action"
mdadm --wait "/dev/$MD"
wait_event "RebuildFinished"
assert_eq "$(md_attr sync_action)" idle "sync_action after --wait"
assert_eq "$(md_attr mismatch_cnt)" 0 "mismatches"
kill "$MONITOR"

note "the others come back as spares, and are members again when they are needed"
detached 4 1
mdadm --quiet "/dev/$MD" --remove failed
mdadm --quiet "/dev/$MD" --add "${DEVS[1]}" "${DEVS[4]}"
assert_match "$(mdadm --detail "/dev/$MD")" 'Spare Devices : 2' "--detail"
for d in 5 6; do
	mdadm --quiet "/dev/$MD" --fail "${DEVS[d]}"
	detached "$d"
	wait_for "/sys/block/$MD/md/degraded" 0
	mdadm --quiet "/dev/$MD" --remove "${DEVS[d]}"
done
assert_eq "$(fingerprint)" "$SUM" "content"
stop_par
mdadm --zero-superblock "${DEVS[5]}" "${DEVS[6]}"

note "added one by one"
incremental 4 0 2 1
assert_eq "$(state_of)" inactive "state with four of five"
incremental 3
assert_match "$(state_of)" 'clean|active|read-auto' "state with all"
assert_eq "$(md_attr degraded)" 0 "degraded"
assert_eq "$(fingerprint)" "$SUM" "content"
stop_par

note "with a member missing, --incremental starts the array only with --run"
incremental 4 0 2 1
mdadm --run --quiet "/dev/$MD"
assert_eq "$(md_attr degraded)" 1 "degraded"
assert_eq "$(fingerprint)" "$SUM" "content"
note "and it comes late: back, if --run says so"
refused mdadm --incremental "${DEVS[3]}"
assert_match "$REFUSAL" 'not adding .* to active array' "a late member"
mdadm --readwrite "/dev/$MD"
fill 1 8
SUM=$(fingerprint)
mark_log
mdadm --incremental --quiet --run "${DEVS[3]}"
wait_for "/sys/block/$MD/md/degraded" 0
logged 'member 3 .nullb3. is back and is sent the writes that it has missed'
assert_eq "$(fingerprint)" "$SUM" "content"

note "a stale one, first or last, does not become a member"
take_out 2
fill 1 12
SUM=$(fingerprint)
stop_par
incremental 2 0 1 3 4 || true
assert_match "$(state_of)" 'clean|active|read-auto' "state"
assert_eq "$(md_attr degraded)" 1 "degraded"
assert_eq "$(fingerprint)" "$SUM" "content"
stop_par
incremental 0 1 3 4
refused mdadm --incremental "${DEVS[2]}"
assert_eq "$(md_attr degraded)" 1 "degraded"
assert_eq "$(fingerprint)" "$SUM" "content"
mdadm --readwrite "/dev/$MD" 2>/dev/null || true
mdadm --quiet "/dev/$MD" --re-add "${DEVS[2]}"
wait_for "/sys/block/$MD/md/degraded" 0
assert_eq "$(fingerprint)" "$SUM" "content"

note "and all is right on the disks"
for dev in "/sys/block/$MD/md/"dev-*; do
	DEVS[$(<"$dev/slot")]=/dev/${dev##*/dev-}
done
DEVS=("${DEVS[@]:0:5}")
end_dissected
