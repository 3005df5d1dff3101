#!/bin/bash
# fio's verifying writers, direct and buffered, of all sizes, find no wrong data during shifts in both directions.
# subject: data
# timeout: 400
# stock: yes
# RAIDPAR_WHOLE=1: two more layouts.
. "$(dirname "$0")/../tools/par.sh"

# Writers of 512 bytes to 1 MiB, one with a deep queue, one that calls fsync, one through the
# page cache. Each writes its own range repeatedly. (fio cannot verify requests of mixed sizes
# that overlap: shadow.py does that.)
start_fio() {
	fio --output="$MACHINE_TMP/fio.log" --filename="/dev/$MD" --group_reporting \
		--verify=crc32c --verify_fatal=1 --do_verify=1 --randseed="$SEED" --direct=1 \
		--rw=randwrite --size=2m --loops=4 \
		--name=tiny --bs=512 --size=64k --fsync=32 \
		--name=deep --bs=4k --offset=64k --ioengine=libaio --iodepth=32 \
		--name=middle --bs=64k --offset=2112k --ioengine=libaio --iodepth=4 \
		--name=buffered --direct=0 --bs=16k --offset=4160k --fsync=64 \
		--name=large --bs=1m --rw=write --offset=6208k --size=4m --loops=6 &
	FIO=$!
}

shift_while_it_runs() {
	local gear
	while kill -0 "$FIO" 2>/dev/null; do
		for gear in $(down_and_up "$LAYOUT"); do
			echo "$gear" >"/sys/block/$MD/md/par/gear"
			nap 1
			# Wait until two shifts have completed.
			while get shifts && [ "$GOT" -lt 2 ] && get gear && [ "$GOT" != "$gear" ] &&
				kill -0 "$FIO" 2>/dev/null; do nap 0.1; done
		done
	done
	wait "$FIO" || fail "fio: $(tail -n 20 "$MACHINE_TMP/fio.log")"
	assert_le 2 "$(par shifts)" "shifts while fio ran"
}

SEED=0

# The content that fio has verified last must be the same in every gear.
verify() {
	local gear sum
	SEED=$((SEED + 1))
	start_fio
	shift_while_it_runs
	settle
	note "$(par shifts) shifts, $(par propagated_bytes) bytes propagated"
	sum=$(fingerprint 12)
	for gear in $(down_and_up "$LAYOUT"); do
		shift_to "$gear"
		assert_eq "$(fingerprint 12)" "$sum" "content in gear $gear"
	done
	shift_to "$(low_gear "$LAYOUT")"
	reassemble_par
	assert_eq "$(fingerprint 12)" "$sum" "content after assembly"
}

[ -n "${RAIDPAR_WHOLE:-}" ] || LAYOUTS=('3,5' '3,5,8' 'raid6:4,8')
for layout in "${LAYOUTS[@]}"; do with_par "$layout" 24M verify --chunk=64; done
