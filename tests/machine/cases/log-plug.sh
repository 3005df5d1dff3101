#!/bin/bash
# Large batches of small and large writes end while the log is full and members start, though one task has all of them in a plug.
# plain: yes
. "$(dirname "$0")/../tools/log.sh"

# A stripe of the cache for each small write, and a large one that needs some, too: see gather_write().
batches() {
	timeout 60 fio --output="$MACHINE_TMP/fio.log" --name=batches --filename="/dev/$MD" --direct=1 --ioengine=libaio \
		--rw=randwrite --bssplit=4k/98:256k/2 --iodepth=250 --iodepth_batch_submit=250 --iodepth_batch_complete_min=250 \
		--number_ios=2000 --randseed="$1" || fail "$2: $(tail -n 5 "$MACHINE_TMP/fio.log")"
}

mkspindles 5 256M preset=nearline seed=1
create_logged 3,5 4 --chunk=64
fill_all
for seed in 1 2 3; do
	shift_to 3
	batches "$seed" "with a log that becomes full"
	note "used $(par log_used), logged $(par logged), gear $(par gear), target $(par shift_target)"
done
shift_to 5
no_mismatch
stop_par
