#!/bin/bash
# A write that needs a sleeper waits as long as a shift up cannot be stored, and no block or member is lost for it.
# subject: shift
# machine: --debug --time-travel
. "$(dirname "$0")/../tools/par.sh"

MIB=8

# weak: the awake members accept writes of metadata blocks, and return errors for reads.
weak() {
	local d at
	for d in 0 1 2; do
		at=$(($(data_offset "${DEVS[d]}") + 128))
		echo "weak $at $((HOME_AT - at))" >"$SPINDLES/${DISKS[d]}/errors"
	done
}

# One of the first sleeper's chunks is valid in the image only, and neither the image nor its parity can be read.
on_spindles 3,5 32M
put 1M 0 $MIB
shift_to 3
stop_par
for ((CHUNK = 20; ; CHUNK++)); do
	mapfile -t PLACES < <(dissect --where "$CHUNK")
	[ "${PLACES[0]% *}" != 3 ] || break
done
IMAGE=${PLACES[1]}
PARITY=$(dissect --parity 3 | awk -v at="${IMAGE#* }" '$2 == at { print $1 }')
HOME_AT=$(dissect --home)
assemble_par
settle
put 1M 0 $MIB
reassemble_par
settle
assert_eq "$(par gear)" 3 gear
for D in "${IMAGE% *}" "$PARITY"; do
	echo "read $((${IMAGE#* } + 48)) 8" >"$SPINDLES/${DISKS[D]}/errors"
done
weak

mark_log
dd if=/dev/urandom of="$MODEL" bs=512 seek=$((CHUNK * 128 + 49)) count=1 conv=notrunc status=none
dd if="$MODEL" of="/dev/$MD" bs=512 skip=$((CHUNK * 128 + 49)) seek=$((CHUNK * 128 + 49)) count=1 \
	oflag=direct conv=notrunc,fsync status=none &
WRITER=$!
nap 30
logged 'cannot shift to gear 5: error -5'
assert_eq "$(par gear)" 3 "gear while metadata cannot be read"
kill -0 "$WRITER" || fail "the write has ended, though its member could not be brought up to date"
for D in 0 1 2; do echo clear >"$SPINDLES/${DISKS[D]}/errors"; done
for D in "${IMAGE% *}" "$PARITY"; do
	echo "read $((${IMAGE#* } + 48)) 8" >"$SPINDLES/${DISKS[D]}/errors"
done
wait "$WRITER" || fail "the write has failed"
settle
assert_eq "$(par gear)" 5 "gear after the write"
all_up "after the write"
is_right "after all"
no_mismatch
stop_par
for D in 0 1 2; do echo clear >"$SPINDLES/${DISKS[D]}/errors"; done
dissect
