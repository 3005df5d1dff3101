#!/bin/bash
# An array whose disks are slow delays neither the settings of another array nor its stop.
# subject: life
# machine: --debug --time-travel
# timeout: 120
set -euo pipefail
. "$(dirname "$0")/../tools/par.sh"

slow() { local d; for d in 0 1 2; do echo "$1" >"$SPINDLES/spin$d/delay_us"; done; }

mkspindles 3 64M
MD=md1 create_par 2,3 --chunk=64
DEVS=()
mkspindles 3 64M
create_par 2,3 --chunk=64
slow 60000000
echo 77 >/sys/block/md1/md/par/hold &
nap 1
BEGAN=$SECONDS
echo 77 >"/sys/block/$MD/md/par/hold"
stop_par
assert_le $((SECONDS - BEGAN)) 2 "seconds for a setting and the stop"
[ -e "/proc/$!" ] || fail "the slow disks were not slow"
slow 0
wait
MD=md1 stop_par
rmdisks
