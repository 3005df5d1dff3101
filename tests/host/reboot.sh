#!/bin/bash
# A machine that shuts down while its array is in a low gear or shifting leaves the array clean, with all data.
# rare: yes
# subject: life
# needs: 6.12-debug
set -euo pipefail

TOP=$(cd "$(dirname "$0")/../.." && pwd)
mkdir -p "$TOP/build"
RAIDPAR_OUT=$(mktemp -d "$TOP/build/reboot.XXXX")
export RAIDPAR_OUT
trap 'rm -rf "$RAIDPAR_OUT"' EXIT

# The disks are files of the host, which remain when the machine ends.
# shellcheck disable=SC2016  # for the machine
PROLOGUE='set -euo pipefail
	. tests/machine/tools/par.sh
	for i in 0 1 2 3 4; do
		truncate -s 48M "$RAIDPAR_OUT/disk$i"
		DEVS+=("$(losetup --show -f "$RAIDPAR_OUT/disk$i")")
	done'

machine() {
	(cd "$TOP" && tests/machine/run --debug --timeout 100 -- bash -c "$PROLOGUE; $1")
}

# A machine that shuts down does not report an exit status.
shut_down() {
	machine "$1; touch \$RAIDPAR_OUT/ready; poweroff -f; sleep 60" >"$RAIDPAR_OUT/log" 2>&1 || true
	[ -e "$RAIDPAR_OUT/ready" ] || { cat "$RAIDPAR_OUT/log"; echo "FAILED before the machine shut down"; exit 1; }
	rm "$RAIDPAR_OUT/ready"
	! grep -E 'BUG|WARN|Call Trace|complains' "$RAIDPAR_OUT/log" || exit 1
}

# shellcheck disable=SC2016  # for the machine
shut_down 'create_par 3,5 --chunk=64; fill 20; shift_to 3; fill 4
	fingerprint >$RAIDPAR_OUT/sum'
# shellcheck disable=SC2016  # for the machine
shut_down 'assemble_par; get gear; assert_eq "$GOT" 3 gear; assert_eq "$(par resync)" none "left clean"
	assert_eq "$(fingerprint)" "$(cat $RAIDPAR_OUT/sum)" "asleep"
	echo 1024 >/sys/block/md0/md/par/speed_min; echo 1024 >/sys/block/md0/md/par/speed_max
	echo 5 >/sys/block/md0/md/par/gear; wait_for /sys/block/md0/md/par/shift_state propagate'
# shellcheck disable=SC2016  # for the machine
shut_down 'assemble_par; assert_eq "$(par resync)" none "left clean"
	assert_eq "$(fingerprint)" "$(cat $RAIDPAR_OUT/sum)" "while shifting up"
	echo 100000 >/sys/block/md0/md/par/speed_max; shift_to 5; fill 30
	fingerprint >$RAIDPAR_OUT/sum
	echo 1024 >/sys/block/md0/md/par/speed_min; echo 1024 >/sys/block/md0/md/par/speed_max
	echo 3 >/sys/block/md0/md/par/gear; wait_for /sys/block/md0/md/par/shift_state down'
# shellcheck disable=SC2016  # for the machine
machine 'assemble_par; assert_eq "$(par resync)" none "left clean"
	assert_eq "$(fingerprint)" "$(cat $RAIDPAR_OUT/sum)" "while shifting down"
	echo 100000 >/sys/block/md0/md/par/speed_max; shift_to 5; stop_par; dissect; losetup -D'
