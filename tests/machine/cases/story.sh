#!/bin/bash
# The basics work on every kernel: creation, shifts under load, a failure, a rebuild and a power cut.
# subject: life
# again: --kernel stock-6.12
# stock: yes
. "$(dirname "$0")/../tools/par.sh"

note "create"
mkspindles 6 128M
spare=${DEVS[5]}
DEVS=("${DEVS[@]:0:5}")
create_par 3,5 --chunk=64
modinfo -F vermagic raid-par

note "shift under load"
fill 16
"$TOOLS/shadow.py" "/dev/$MD" --seed 1 --ops 60 --mib 12 --gears "/sys/block/$MD/md/par/gear" --save "$MACHINE_TMP/shadow"
shift_to 3
watch_sleepers
"$TOOLS/shadow.py" "/dev/$MD" --seed 1 --check "$MACHINE_TMP/shadow"
assert_asleep "reading all"
# The content of a discarded range is undefined after a power cut.
fill 16
sum=$(fingerprint)

note "fail in the low gear"
mdadm --quiet "/dev/$MD" --fail "${DEVS[1]}"
settle
assert_eq "$(par gear)" 5 "gear with a failed member"
assert_eq "$(fingerprint)" "$sum" "content with a failed member"

note "recover"
detached 1
mdadm --quiet "/dev/$MD" --remove "${DEVS[1]}"
mdadm --quiet "/dev/$MD" --add "$spare"
mdadm --wait "/dev/$MD" || true
assert_match "$(</proc/mdstat)" '\[5/5\] \[UUUUU\]' mdstat
DEVS[1]=$spare
shift_to 3
fill 4 2
sum=$(fingerprint)

note "crash"
crash 5
assert_eq "$(fingerprint)" "$sum" "content after the power cut"
wait_for "/sys/block/$MD/md/par/resync" none
no_mismatch

note "stop and unload"
stop_par
DEVS=()
rmdisks
modprobe -r raid-par spindle
