#!/bin/bash
# mdadm starts disks that do not turn all at once: assembling, examining and creating take the time of one start.
# subject: power
# machine: --debug --time-travel
set -euo pipefail
. "$(dirname "$0")/../tools/par.sh"

START=20	# seconds: spin_up_ms of nearline

stop_disks() {
	local name
	for name in "${DISKS[@]}"; do
		echo 10000 >"/sys/block/$name/device/power/autosuspend_delay_ms"
		echo auto >"/sys/block/$name/device/power/control"
	done
	for name in "${DISKS[@]}"; do wait_for "$SPINDLES/$name/state" standby; done
}

# in_one_start COMMAND...: while no disk turns, the command takes the time of one start.
in_one_start() {
	local before
	stop_disks
	before=$SECONDS
	"$@" >/dev/null </dev/null
	assert_le $((SECONDS - before)) $((START + START / 2)) "seconds of: $*"
	assert_le "$START" $((SECONDS - before)) "seconds of: $*"
}

mkspindles 5 1G preset=nearline
create_par 3,5
stop_par
in_one_start mdadm --examine "${DEVS[@]}"
in_one_start assemble_par
stop_par
in_one_start mdadm --zero-superblock "${DEVS[@]}"
in_one_start mdadm --create "/dev/$MD" --quiet --run --level=par --assume-clean --raid-devices=5 "${DEVS[@]}"
stop_par
