#!/bin/bash
# A sleeper of sd is flushed and stopped, and sent no command until it is started; all start at once; uevents and settings are as documented.
# machine: --debug --time-travel
export POWER_DISKS=scsi
. "$(dirname "$0")/../tools/power.sh"

# at_once: all disks were sent START before the first of them had started.
at_once() {
	local line sent=0
	traced order
	for line in "${LINES[@]}"; do
		case $line in
		*scsi_dispatch_cmd_start:*) sent=$((sent + 1)) ;;
		*scsi_dispatch_cmd_done:*) break ;;
		esac
	done
	assert_eq "$sent" "$(sleepers | wc -l)" "STARTs before the first disk had started"
}

power_disks 8
LAYOUT=3,8
for d in $(sleepers); do assert_eq "$(sd "$d" manage_runtime_start_stop)" 0 "disk $d before"; done
start_events
create_par 3,8 --chunk=64
fill 4
for d in $(sleepers); do
	assert_eq "$(member "$d" power_control)" runtime "control of member $d"
	assert_eq "$(sd "$d" manage_runtime_start_stop)" 1 "disk $d as a member"
done

note "down: flushed and stopped"
watch_commands
down
for d in $(sleepers); do
	assert_match "$(sent "$d")" ' flush stop$' "commands to disk $d"
	told "sleep MEMBER=$d DEVICE=${DISKS[$d]} POWER=runtime"
done
told "shift GEAR=3 MEMBERS=8"

note "used: nothing is sent to them"
watch_commands
mark_log
use_array
SUM=$(fingerprint)
sent_none "while the array is used"
assert_eq "$(log_since)" "" "log"
for d in $(sleepers); do assert_eq "$(member "$d" spin_ups)" 0 "spin_ups of member $d"; done

note "they have really stopped: sd is kept from starting one"
LEFT=$(member 7 spins_left)
set_sd 7 manage_runtime_start_stop 0
assert_eq "$("$TOOLS/sg.py" sense "${DEVS[7]}")" "${DEVS[7]} 2/04/02" "its sense"
refused read_disk 7
"$TOOLS/sg.py" start "${DEVS[7]}"
read_disk 7
set_sd 7 manage_runtime_start_stop 1
assert_match "$(member 7 last_wake_cause)" '^process (python3|sg\.py)\[[0-9]+\]$' "cause"
assert_eq "$(member 7 spins_left)" $((LEFT - 1)) "spins_left"
told 'wake MEMBER=7 DEVICE=sd. CAUSE=process (python3|sg\.py)\[[0-9]+\]'
wait_stopped 7
assert_match "$(sent 7)" ' flush stop$' "commands to it"

note "up: all at once"
fill 1 2
SUM=$(fingerprint)
trace order scsi_dispatch_cmd_start 'opcode == 0x1b'
echo 'opcode == 0x1b' >"$TRACES/order/events/scsi/scsi_dispatch_cmd_done/filter"
echo 1 >"$TRACES/order/events/scsi/scsi_dispatch_cmd_done/enable"
watch_commands
set_par gear 8
gear_is 8
for d in $(sleepers); do
	assert_match "$(sent "$d")" '^start ' "commands to disk $d"
	told "wake MEMBER=$d DEVICE=${DISKS[$d]} CAUSE=gear power-sd\\.sh\\[[0-9]+\\]"
done
at_once
settle
assert_eq "$(fingerprint)" "$SUM" "content"
assert_eq "$(member 6 spin_ups)" 1 "spin_ups of member 6"
assert_eq "$(member 7 spin_ups)" 2 "spin_ups of member 7"
assert_eq "$(disk 6 starts)" 1 "starts of disk 6"

note "a stop of the array sends nothing to stopped sleepers; a later read of one starts it"
down
watch_commands
stop_par
sent_none "while the array stops"
assert_eq "$(sd 0 manage_runtime_start_stop)" 0 "disk 0 afterwards"
assert_eq "$(sd 7 manage_runtime_start_stop)" 1 "a sleeper afterwards"
read_disk 7
assert_match "$(sent 7)" '^start ' "commands to a sleeper that is read"
assemble_par
assert_eq "$(fingerprint)" "$SUM" "content, assembled again"
shift_to 8
stop_par
kill "$EVENT_READER"
dissect
rmscsi
