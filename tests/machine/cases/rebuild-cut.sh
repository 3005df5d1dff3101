#!/bin/bash
# After a power cut, the rebuild of a member continues at the stored position, all data before it is right, and no start is refused: nothing was written.
# subject: crash
# plain: yes
# machine: --debug --time-travel
. "$(dirname "$0")/../tools/par.sh"

written() { local stat; read -r -a stat <"/sys/block/${DISKS[$1]}/stat"; echo "${stat[6]}"; }

# prepare [GEAR]: all rows are written, and no intent is left. After a shift to that gear all images are valid.
prepare() {
	create_par 3,5 --chunk=64
	fill "$(array_mib)"
	[ $# -eq 0 ] || shift_to "$1"
	shift_to 5
	SUM=$(fingerprint)
	reassemble_par
}

# prepare_holes: every second MiB has been written while the sleepers slept: of these rows only their images are valid,
# the others are unwritten.
prepare_holes() {
	local i
	create_par 3,5 --chunk=64
	shift_to 3
	for ((i = 0; i < $(array_mib); i += 2)); do fill 1 "$i"; done
	SUM=$(fingerprint)
	reassemble_par
}

# cut_rebuild MEMBER FROM: cut the power when all members have the first superblock after the rebuild, at KIB a second, has
# passed this sector.
cut_rebuild() {
	local d=$1 from=$2 first
	first=$(data_offset "${DEVS[0]}")
	echo "${KIB:-2000}" | tee /proc/sys/dev/raid/speed_limit_{min,max} >/dev/null
	take_out "$d"
	DEVS[d]=$SPARE DISKS[d]=${SPARE#/dev/} DISKS[5]=spin$d
	manage --add "$SPARE"
	sync_at "$from"
	read -r POSITION _ TOTAL <"/sys/block/$MD/md/sync_completed"
	echo "1 5 $first $((first + 15))" >"$SPINDLES/trap"
	wait_for "$SPINDLES/trap" 0
	stop_par
	echo all >"$SPINDLES/restore"
	note "cut after $POSITION of $TOTAL, sectors lost on the new disk: $(cat "$SPINDLES/${DISKS[d]}/lost")"
	echo 200000 >/proc/sys/dev/raid/speed_limit_max
	echo 1000 >/proc/sys/dev/raid/speed_limit_min
}

# rebuild WHAT MEMBER PREPARE...
rebuild() {
	local d=$2 before
	note "$1"
	mkspindles 6 32M
	SPARE=${DEVS[5]}
	unset 'DEVS[5]'
	"${@:3}"
	cut_rebuild "$d" 12000
	assemble_par
	before=$(written "$d")
	wait_whole
	assert_eq "$(fingerprint)" "$SUM" "content"
	no_mismatch
	# The stored position is not before POSITION. The rest is written, and some metadata.
	assert_le $(($(written "$d") - before)) $((TOTAL - POSITION + TOTAL / 8)) "sectors written by the rest of the rebuild"
	end_par
}

echo 0 >/sys/module/md_mod/parameters/start_ro
rebuild "a sleeper from its images" 4 prepare 3
KIB=500 rebuild "a sleeper from its images, between unwritten rows" 4 prepare_holes
rebuild "a sleeper from parity" 4 prepare
rebuild "a member that never sleeps" 1 prepare
