#!/bin/bash
# After a power cut, the rebuild of a sleeper from its images continues at the stored position, and all data before it is right.
# subject: crash
# plain: yes
# machine: --debug --time-travel --mem 1G
. "$(dirname "$0")/../tools/par.sh"

written() { local stat; read -r -a stat <"/sys/block/${DISKS[4]}/stat"; echo "${stat[6]}"; }

# All rows are written, all images are valid, and no intent is left.
prepare() {
	create_par 3,5 --chunk=64
	fill "$(array_mib)"
	shift_to 3
	shift_to 5
	SUM=$(fingerprint)
	reassemble_par
}

# Cut the power when all members have the first superblock after the rebuild has passed sector FROM.
cut_rebuild() {
	local from=$1 first
	first=$(data_offset "${DEVS[0]}")
	echo 2000 | tee /proc/sys/dev/raid/speed_limit_{min,max} >/dev/null
	take_out 4
	DEVS[4]=$SPARE DISKS[4]=${SPARE#/dev/} DISKS[5]=spin4
	manage --add "$SPARE"
	sync_at "$from"
	read -r POSITION _ TOTAL <"/sys/block/$MD/md/sync_completed"
	echo "1 5 $first $((first + 15))" >"$SPINDLES/trap"
	wait_for "$SPINDLES/trap" 0
	stop_par
	echo all >"$SPINDLES/restore"
	note "cut after $POSITION of $TOTAL, sectors lost on the new disk: $(cat "$SPINDLES/${DISKS[4]}/lost")"
	echo 200000 >/proc/sys/dev/raid/speed_limit_max
	echo 1000 >/proc/sys/dev/raid/speed_limit_min
}

mkspindles 6 32M
SPARE=${DEVS[5]}
unset 'DEVS[5]'
prepare
cut_rebuild 12000
assemble_par
BEFORE=$(written)
wait_whole
assert_eq "$(fingerprint)" "$SUM" "content"
no_mismatch
# The stored position is not before POSITION. The rest is written, and some metadata.
assert_le $(($(written) - BEFORE)) $((TOTAL - POSITION + TOTAL / 8)) "sectors written by the rest of the rebuild"
end_par
