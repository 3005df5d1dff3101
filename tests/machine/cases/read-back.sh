#!/bin/bash
# Requests of any size and alignment, direct or through the page cache, and discards read back right whatever the gear does, on arrays of all shapes.
# plain: yes
# subject: data
# timeout: 400
# RAIDPAR_WHOLE=1: more layouts.
. "$(dirname "$0")/../tools/par.sh"

SEED=0

# shape LAYOUT SIZE "DISK SETTINGS" "CREATE OPTIONS" [OPTION...]: options of shadow.py.
shape() {
	local settings options
	read -r -a settings <<<"$3"
	read -r -a options <<<"$4"
	SEED=$((SEED + 1))
	note "$1, $2: $3 $4 ${*:5}"
	mkdisks "$(top_gear "$1")" "$2" "${settings[@]}"
	create_par "$1" "${options[@]}"
	exercise "$SEED" "${@:5}"
	end_par
}

for layout in 3,5,8 raid6:4,8 raid0:2,5 ${RAIDPAR_WHOLE:+3,5 3,8}; do shape "$layout" 24M "" --chunk=64; done
for layout in 3,5 raid6:4,8 raid0:2,5; do shape "$layout" 24M "" --chunk=64 --buffered --writers 2; done
shape 2,3 24M "" --chunk=64
shape 2,3,4,5,6,7,8 24M "" --chunk=64
shape raid6:4,5,7 24M "" --chunk=64
shape raid0:2,3,6 24M "" --chunk=64
shape 3,5 64M "" ""
shape 3,5 64M "" --chunk=1024
shape 3,5 24M blocksize=4096 --chunk=64
shape 3,5 24M cache_size=8 --chunk=64
shape 3,5 24M "irqmode=2 completion_nsec=1000000" --chunk=128
