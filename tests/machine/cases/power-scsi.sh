#!/bin/bash
# The other tests of power pass on disks of sd, which runtime PM stops and starts by START STOP UNIT.
# plain: yes
# machine: --debug --time-travel
# timeout: 600
set -euo pipefail
. "$(dirname "$0")/../lib.sh"
. "$(dirname "$0")/../tools/scsi.sh"

# Long enough for power-quiet.sh to do each kind of request twice or more.
export RAIDPAR_MINUTES=${RAIDPAR_MINUTES:-30}

# power-late.sh is left out, since it needs disks with a configurable start time: see
# power-sd-late.sh.
for test in wake cause quiet leave ration system; do
	note "power-$test.sh"
	rc=0
	POWER_DISKS=scsi "$(dirname "$0")/power-$test.sh" || rc=$?
	[ "$rc" = 77 ] || assert_eq "$rc" 0 "status of power-$test.sh"
	rmscsi
done
