#!/bin/bash
# A start by force, or a rescue, of an array that is then only read leaves no request: the next start is refused again, and the array is as it was.
set -euo pipefail
. "$(dirname "$0")/../tools/par.sh"

# only_read WHY OPTION DEVICE...: without the option the devices do not start, with it they do, and afterwards they do not.
only_read() {
	local why=$1 option=$2
	shift 2
	refused mdadm --assemble --run "/dev/$MD" "$@"
	assert_match "$REFUSAL" "$why" "before"
	mdadm --assemble --quiet "$option" "/dev/$MD" "$@"
	assert_eq "$(<"/sys/block/$MD/md/array_state")" read-auto "$option"
	fingerprint 1 >/dev/null
	stop_par
	note "$option, only read: the next start"
	refused mdadm --assemble --run "/dev/$MD" "$@"
	assert_match "$REFUSAL" "$why" "afterwards"
}

echo 1 >/sys/module/md_mod/parameters/start_ro
mkspindles 5 64M
create_par 3,5 --chunk=64
fill 20
reassemble_par
dd if=/dev/urandom of="/dev/$MD" bs=4k count=64 seek=100 oflag=direct conv=notrunc status=none
power_cut 5
only_read 'Bad message' --force "${DEVS[@]:0:4}"
only_read 'Bad message' --force "${DEVS[@]:0:4}"

note "the member that was missing returns: nothing is in doubt"
mark_log
assemble_par
not_logged 'in doubt|out of date|has to be rebuilt'
assert_eq "$(<"/sys/block/$MD/md/degraded")" 0 "members missing"
fill 1
wait_for "/sys/block/$MD/md/par/resync" none
no_mismatch
stop_par

at=$(($(data_offset "${DEVS[0]}") + 128)) # the intent and map blocks
for dev in "${DEVS[@]}"; do
	dd if=/dev/urandom of="$dev" bs=512 count=64 seek=$at oflag=direct conv=notrunc status=none
done
only_read 'needs cleaning' --update=par-rescue "${DEVS[@]}"
rmdisks
echo 0 >/sys/module/md_mod/parameters/start_ro
