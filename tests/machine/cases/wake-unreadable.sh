#!/bin/bash
# A member that is woken gets all metadata, even if no member that is awake can read it any more: it is stored from memory.
# subject: shift
# machine: --debug --time-travel
. "$(dirname "$0")/../tools/par.sh"

# woken KIND: blocks of this kind are destroyed while the sleepers sleep, and the sleepers are woken.
woken() {
	note "blocks: $1"
	on_spindles 3,5 32M
	fill 6
	shift_to 3
	fill 2 2
	shift_to 5
	shift_to 3
	fill 4 4
	nap 35	# the map has been stored since the shift
	SUM=$(fingerprint 8)
	"$TOOLS/spoil.py" corrupt --blocks "$1" "${DEVS[@]:0:3}"
	mark_log
	shift_to 5
	logged 'metadata blocks cannot be read on any member that is awake'
	assert_eq "$(fingerprint 8)" "$SUM" "content, blocks $1"
	echo 5 >"$SPINDLES/cut"
	stop_par
	echo all >"$SPINDLES/restore"
	assemble_par
	assert_eq "$(fingerprint 8)" "$SUM" "content after a power cut"
	mdadm --readwrite "/dev/$MD" 2>/dev/null || true
	wait_whole
	end_dissected
}

woken all
