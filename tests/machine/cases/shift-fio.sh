#!/bin/bash
# fio's verifying writers, direct and buffered, of all sizes, find no wrong data during shifts in both directions, nor during a hundred, of which some are abandoned.
# subject: shift
# timeout: 400
# stock: yes
# RAIDPAR_WHOLE=1: two hundred, and two more layouts.
. "$(dirname "$0")/../tools/par.sh"

SEED=0

# start_fio OPTION...: each writer writes its own range repeatedly. (fio cannot verify requests of mixed sizes that overlap:
# shadow.py does that.)
start_fio() {
	SEED=$((SEED + 1))
	fio --output="$MACHINE_TMP/fio.log" --filename="/dev/$MD" --group_reporting --direct=1 --verify=crc32c --verify_fatal=1 \
		--do_verify=1 --randseed="$SEED" --rw=randwrite "$@" &
	FIO=$!
}
fio_runs() { kill -0 "$FIO" 2>/dev/null; }

# same_everywhere: what fio has verified last is the same in every gear, after an assembly, and on the disks.
same_everywhere() {
	local gear sum
	settle
	note "$(par shifts) shifts, $(par propagated_bytes) bytes propagated, $(par metadata_writes) metadata writes"
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

# Writers of 512 bytes to 1 MiB, one with a deep queue, one that calls fsync, one through the page cache.
all_sizes() {
	local gear
	start_fio --size=2m --loops=4 \
		--name=tiny --bs=512 --size=64k --fsync=32 \
		--name=deep --bs=4k --offset=64k --ioengine=libaio --iodepth=32 \
		--name=middle --bs=64k --offset=2112k --ioengine=libaio --iodepth=4 \
		--name=buffered --direct=0 --bs=16k --offset=4160k --fsync=64 \
		--name=large --bs=1m --rw=write --offset=6208k --size=4m --loops=6
	while fio_runs; do
		for gear in $(down_and_up "$LAYOUT"); do
			echo "$gear" >"$PAR/gear"
			nap 1
			# Wait until two shifts have completed.
			while get shifts && [ "$GOT" -lt 2 ] && get gear && [ "$GOT" != "$gear" ] && fio_runs; do nap 0.1; done
		done
	done
	wait "$FIO" || fail "fio: $(tail -n 20 "$MACHINE_TMP/fio.log")"
	assert_le 2 "$(par shifts)" "shifts while fio ran"
	same_everywhere
}

# Some shifts finish, others are overtaken by the next one.
a_hundred() {
	local gears=(2 5 3 5 2 3 2 5) i
	start_fio --size=1m --loops=1000000 --name=small --bs=4k --fsync=64 --size=256k \
		--name=large --bs=64k --offset=1m --ioengine=libaio --iodepth=4
	get shifts
	for ((i = 0; GOT < (${RAIDPAR_WHOLE:-0} ? 200 : 100); i++)); do
		echo "${gears[i % 8]}" >"$PAR/gear"
		[ $((i % 5)) = 0 ] || settle
		get shift_last_error
		# ETIMEDOUT: on a busy host the copies can be slower than fio's writes. The next shift is asked for all the same.
		[[ $GOT = 0 || $GOT = -4 || $GOT = -110 ]] || fail "shift $i: error $GOT"
		fio_runs || fail "fio: $(tail -n 20 "$MACHINE_TMP/fio.log")"
		get shifts
	done
	kill -INT "$FIO"
	wait "$FIO" || true
	! grep -E 'verify:|error|bad' "$MACHINE_TMP/fio.log" || fail "fio found errors"
	same_everywhere
}

with_par 2,3,5 24M a_hundred --chunk=64
[ -n "${RAIDPAR_WHOLE:-}" ] || LAYOUTS=('3,5' '3,5,8' 'raid6:4,8')
for layout in "${LAYOUTS[@]}"; do with_par "$layout" 24M all_sizes --chunk=64; done
