#!/bin/bash
# An array made on 6.12 assembles on 7.2 and back, in each gear and with all data, and the other way round.
# subject: life
# needs: 6.12-debug 7.2
# rare: yes
set -euo pipefail

TOP=$(cd "$(dirname "$0")/../.." && pwd)
mkdir -p "$TOP/build"
RAIDPAR_OUT=$(mktemp -d "$TOP/build/other-kernel.XXXX")
export RAIDPAR_OUT
trap 'rm -rf "$RAIDPAR_OUT"' EXIT
# pages-64k.sh runs this script with two other machines.
KERNELS=("6.12 --debug" 7.2)
[ $# = 0 ] || KERNELS=("$@")

# The disks are files of the host, which remain when a machine ends.
# shellcheck disable=SC2016  # for the machine
PROLOGUE='set -euo pipefail
	. tests/machine/tools/par.sh
	for i in 0 1 2 3 4 5 6 7; do
		truncate -s 48M "$RAIDPAR_OUT/disk$i"
		DEVS+=("$(losetup --show -f "$RAIDPAR_OUT/disk$i")")
	done
	uname -r'

# on "KERNEL OPTIONS" COMMANDS: run commands in a machine. losetup -D writes back the content of the loop devices.
on() {
	local options
	read -r -a options <<<"$1"
	(cd "$TOP" && tests/machine/run --kernel "${options[@]}" --timeout "${MACHINE_TIMEOUT:-250}" -- \
		bash -c "$PROLOGUE; $2; stop_par; losetup -D; sync")
}

# Each machine finds the data of the previous one, and the array in the gear in which it was
# stopped, changes some data, and leaves the array in another gear.
# shellcheck disable=SC2016  # for the machine
visit='assemble_par; get gear; assert_eq "$GOT" "$(<$RAIDPAR_OUT/gear)" gear
	assert_eq "$(par resync)" none "left clean"
	assert_eq "$(fingerprint)" "$(<$RAIDPAR_OUT/sum)" "data made on another kernel"
	fill 3 "$at"; shift_to "$next"; echo "$next" >$RAIDPAR_OUT/gear; fingerprint >$RAIDPAR_OUT/sum
	echo check >/sys/block/md0/md/sync_action; mdadm --wait /dev/md0 || true
	assert_eq "$(</sys/block/md0/md/mismatch_cnt)" 0 mismatches'

tour() {
	local here=$1 there=$2
	rm -f "$RAIDPAR_OUT"/disk*
	# shellcheck disable=SC2016  # for the machine
	on "$here" 'create_par 3,5,8 --chunk=64; fill 20; echo 8 >$RAIDPAR_OUT/gear; fingerprint >$RAIDPAR_OUT/sum'
	on "$there" "at=2 next=5; $visit"
	on "$here" "at=4 next=3; $visit"
	on "$there" "at=6 next=8; $visit"
	on "$here" "at=8 next=8; $visit; shift_to 3"
}

tour "${KERNELS[0]}" "${KERNELS[1]}"
tour "${KERNELS[1]}" "${KERNELS[0]}"
