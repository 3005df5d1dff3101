#!/bin/bash
# A hundred shifts under load (in make test-all two hundred), up, down and abandoned, cause no error, and the data is right.
# RAIDPAR_WHOLE=1: two hundred.
. "$(dirname "$0")/../tools/par.sh"

SHIFTS=$((${RAIDPAR_WHOLE:-0} ? 200 : 100))

on_disks 2,3,5 24M

# Requests whose results fio checks, until it is stopped.
fio --output="$MACHINE_TMP/fio.log" --filename=/dev/md0 --direct=1 --verify=crc32c \
	--verify_fatal=1 --do_verify=1 --rw=randwrite --size=1m --loops=1000000 \
	--name=small --bs=4k --fsync=64 --size=256k \
	--name=large --bs=64k --offset=1m --ioengine=libaio --iodepth=4 &
FIO=$!

get shifts
start=$GOT
gears=(2 5 3 5 2 3 2 5)
for ((i = 0; GOT - start < SHIFTS; i++)); do
	echo "${gears[i % 8]}" >/sys/block/md0/md/par/gear
	# Some shifts finish, others are overtaken by the next one.
	[ $((i % 5)) = 0 ] || settle
	get shift_last_error
	# ETIMEDOUT: on a busy host the copies can be slower than fio's writes. The next shift is asked for all the same.
	[[ $GOT = 0 || $GOT = -4 || $GOT = -110 ]] || fail "shift $i: error $GOT"
	kill -0 "$FIO" 2>/dev/null || fail "fio: $(tail -n 20 "$MACHINE_TMP/fio.log")"
	get shifts
done
note "$GOT shifts, $i asked for, $(par propagated_bytes) bytes propagated, $(par metadata_writes) metadata writes"

kill -INT "$FIO"
wait "$FIO" || true
! grep -E 'verify:|error|bad' "$MACHINE_TMP/fio.log" || fail "fio found errors"
settle
sum=$(fingerprint)
for gear in 2 3 5; do
	shift_to "$gear"
	assert_eq "$(fingerprint)" "$sum" "content in gear $gear"
done
stop_par
dissect
