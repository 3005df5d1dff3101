#!/bin/bash
# parfleet's agent stops disks of sd and simulated ones, also below device mapper; its looks send none a command; a read starts one.
# subject: fleet
# machine: --debug --time-travel
set -euo pipefail
. "$(dirname "$0")/../lib.sh"
. "$(dirname "$0")/../tools/scsi.sh"

FLEET=$(dirname "$0")/../../fleet

note "disks of sd"
mkscsi 2 64M
trace sent scsi_dispatch_cmd_start 'opcode >= 0'
python3 -B "$FLEET/disks.py" "${DISKS[@]}"
for d in 0 1; do
	assert_eq "$(disk "$d" starts)" 3 "starts of disk $d: a read, the wish, and the next read"
	assert_eq "$(disk "$d" state)" idle "disk $d afterwards"
done

note "simulated disks"
rmscsi
mkspindles 2 64M spin_up_ms=8000 spin_down_ms=2000
python3 -B "$FLEET/disks.py" "${DISKS[@]}"
for d in 0 1; do assert_eq "$(cat "$SPINDLES/${DISKS[$d]}/starts")" 3 "starts of ${DISKS[$d]}"; done
