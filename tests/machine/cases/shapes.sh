#!/bin/bash
# Arrays of other shapes work: few and many members and gears, other chunk and sector sizes, and disks with caches.
# subject: shape
. "$(dirname "$0")/../tools/par.sh"

SEED=200

# shape LAYOUT SIZE "DISK SETTINGS" [OPTION...]
shape() {
	local layout=$1 size=$2 settings
	read -r -a settings <<<"$3"
	shift 3
	SEED=$((SEED + 1))
	note "$layout, $size: ${settings[*]} $*"
	mkdisks "$(top_gear "$layout")" "$size" "${settings[@]}"
	create_par "$layout" "$@"
	exercise "$SEED"
	end_par
}

shape 2,3 24M "" --chunk=64
shape 2,3,4,5,6,7,8 24M "" --chunk=64
shape raid6:4,5,7 24M "" --chunk=64
shape raid0:2,3,6 24M "" --chunk=64
shape 3,5 64M ""
shape 3,5 64M "" --chunk=1024
shape 3,5 24M blocksize=4096 --chunk=64
shape 3,5 24M cache_size=8 --chunk=64
shape 3,5 24M "irqmode=2 completion_nsec=1000000" --chunk=128
