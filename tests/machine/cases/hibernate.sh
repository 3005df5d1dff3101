#!/bin/bash
# The system refuses to hibernate while an array is writable, and logs the reason; with a read-only or a stopped array it hibernates, and the array works afterwards.
# rare: yes
# subject: life
# machine: --kernel stock-6.12
. "$(dirname "$0")/../tools/par.sh"

# All steps of a hibernation except the image: processes are frozen, and thawed 5 s later.
[ -w /sys/power/pm_test ] || skip "this kernel cannot test hibernation"
echo freezer >/sys/power/pm_test
grep -q disk /sys/power/state || skip "this kernel cannot hibernate"
hibernate() { echo disk >/sys/power/state; }

# refuses WHAT
refuses() {
	mark_log
	refused hibernate
	assert_match "$REFUSAL" 'Device or resource busy' "hibernation of $1"
	assert_match "$(log_since)" "md/par:$MD: the system cannot hibernate while the array is writable: .*Stop the array first, or make it read-only" \
		"the kernel log of $1"
}

on_spindles 3,5 24M
fill 8
refuses "a writable array"
shift_to 3
fill 2 2
refuses "one in its low gear"
SUM=$(fingerprint)

mdadm --readonly "/dev/$MD"
hibernate
assert_eq "$(fingerprint)" "$SUM" "content of a read-only array"
mdadm --readwrite "/dev/$MD"
refuses "one that is writable again"
fill 1 5
SUM=$(fingerprint)

stop_par
hibernate
assemble_par
refuses "one that turns writable with its first write"
assert_eq "$(fingerprint)" "$SUM" "content of an array that was stopped"
end_dissected
