#!/bin/bash
# A hundred shifts, up, down and abandoned, under fio's verifying writers, direct and buffered, of all sizes, cause no error and no wrong data.
# subject: shift
# timeout: 400
# stock: yes
# RAIDPAR_WHOLE=1: two hundred, and more layouts.
. "$(dirname "$0")/../tools/par.sh"

SHIFTS=$((${RAIDPAR_WHOLE:-0} ? 200 : 100))
SEED=0

# Writers of 512 bytes to 1 MiB, one with a deep queue, one that calls fsync, one through the page cache, which write their
# own ranges until they are stopped. (fio cannot verify requests of mixed sizes that overlap: shadow.py does that.)
start_fio() {
	SEED=$((SEED + 1))
	fio --output="$MACHINE_TMP/fio.log" --filename="/dev/$MD" --group_reporting \
		--verify=crc32c --verify_fatal=1 --do_verify=1 --randseed="$SEED" --direct=1 \
		--rw=randwrite --size=2m --loops=1000000 \
		--name=tiny --bs=512 --size=64k --fsync=32 \
		--name=deep --bs=4k --offset=64k --ioengine=libaio --iodepth=32 \
		--name=middle --bs=64k --offset=2112k --ioengine=libaio --iodepth=4 \
		--name=buffered --direct=0 --bs=16k --offset=4160k --fsync=64 \
		--name=large --bs=1m --rw=write --offset=6208k --size=4m &
	FIO=$!
}

# shift_often SHIFTS: some of them finish, others are overtaken by the next one.
shift_often() {
	local all i
	read -r -a all < <(down_and_up "$LAYOUT")
	get shifts
	for ((i = 0; GOT < $1; i++)); do
		echo "${all[i % ${#all[@]}]}" >"/sys/block/$MD/md/par/gear"
		[ $((i % 5)) = 0 ] || settle
		get shift_last_error
		# ETIMEDOUT: on a busy host the copies can be slower than fio's writes. The next shift is asked for all the same.
		[[ $GOT = 0 || $GOT = -4 || $GOT = -110 ]] || fail "shift $i: error $GOT"
		kill -0 "$FIO" 2>/dev/null || fail "fio: $(tail -n 20 "$MACHINE_TMP/fio.log")"
		get shifts
	done
	note "$GOT shifts, $i asked for, $(par propagated_bytes) bytes propagated, $(par metadata_writes) metadata writes"
}

# verify: the content is the same in every gear, and after an assembly.
verify() {
	local gear sum
	start_fio
	shift_often "$MOST"
	kill -INT "$FIO"
	wait "$FIO" || true
	! grep -E 'verify:|error|bad' "$MACHINE_TMP/fio.log" || fail "fio found errors"
	settle
	sum=$(fingerprint 12)
	for gear in $(down_and_up "$LAYOUT"); do
		shift_to "$gear"
		assert_eq "$(fingerprint 12)" "$sum" "content in gear $gear"
	done
	shift_to "$(low_gear "$LAYOUT")"
	reassemble_par
	assert_eq "$(fingerprint 12)" "$sum" "content after assembly"
	stop_par
	dissect
	assemble_par
}

MOST=$SHIFTS with_par 2,3,5 24M verify --chunk=64
for layout in 3,5 raid6:4,8 ${RAIDPAR_WHOLE:+3,5,8 3,8 raid0:2,5}; do MOST=10 with_par "$layout" 24M verify --chunk=64; done
