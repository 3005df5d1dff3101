#!/bin/bash
# A shift down beside writes that pass the log, which is switched off, does not wait for the disks time and again, and ends.
# subject: shift
# machine: --time-travel
. "$(dirname "$0")/../tools/par.sh"

mkspindles 5 64M preset=nearline seed=3
create_par 3,5 --chunk=64 --log-size=8M
fill_all
shift_to 3
shift_to 5
wait_for "/sys/block/$MD/md/par/log_used" 0 300
echo 0 >"/sys/block/$MD/md/par/log_size"
small_writes 10 2 >"$MACHINE_TMP/longest" &
nap 5
echo 3 >"/sys/block/$MD/md/par/gear"
wait_for "/sys/block/$MD/md/par/gear" 3 60
touch "$MACHINE_TMP/end"
wait
note "the shift took $(par shift_last_ms) ms, the longest write $(<"$MACHINE_TMP/longest") ms"
stop_par
