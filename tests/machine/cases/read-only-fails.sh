#!/bin/bash
# A member that fails while the array is read-only or auto-read-only is replaced by the spare, can be removed and comes back, once the array is written.
# subject: life
set -euo pipefail
. "$(dirname "$0")/../tools/par.sh"

START_RO=/sys/module/md_mod/parameters/start_ro

# fails HOW STATE: while the array is in that state.
fails() {
	local how=$1 state=$2 d=4
	note "$state, $how"
	stop_par
	case $state in
	read-auto) echo 1 >"$START_RO"; assemble_par; echo 0 >"$START_RO" ;;
	readonly) mdadm --assemble --quiet --readonly "/dev/$MD" "${DEVS[@]}" ;;
	esac
	assert_eq "$(<"/sys/block/$MD/md/array_state")" "$state" "state"
	case $how in
	faulty) echo faulty >"/sys/block/$MD/md/rd$d/state" ;;
	dead) echo 1 >"$SPINDLES/${DISKS[d]}/dead" ;;
	esac
	assert_eq "$(fingerprint 8)" "$SUM" "content"
	nap 1
	[ "$state" = read-auto ] || mdadm --readwrite "/dev/$MD"
	fill 1 20
	wait_whole
	detached $d
	[ "$how" != dead ] || echo 0 >"$SPINDLES/${DISKS[d]}/dead"
	manage --remove "${DEVS[d]}"
	manage --add "${DEVS[d]}"
	assert_eq "$(fingerprint 8)" "$SUM" "content with the spare"
	no_mismatch
	# The spare has the place of the member, and the other way round.
	DEVS=("${DEVS[@]:0:4}" "${DEVS[5]}" "${DEVS[4]}")
	DISKS=("${DISKS[@]:0:4}" "${DISKS[5]}" "${DISKS[4]}")
}

mkspindles 6 48M
LAYOUT=3,5
mdadm --create "/dev/$MD" --quiet --run --level=par --layout=$LAYOUT --image-share=100 --chunk=64 \
	--raid-devices=5 --spare-devices=1 "${DEVS[@]}" </dev/null
fill 8
SUM=$(fingerprint 8)
fails faulty read-auto
fails dead read-auto
fails faulty readonly
stop_par
rmdisks
