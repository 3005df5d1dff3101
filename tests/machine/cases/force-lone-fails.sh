#!/bin/bash
# The only member with the newest metadata fails after a forced start, before anything is written: the others go on.
# subject: mdadm
# plain: yes
. "$(dirname "$0")/../tools/par.sh"

on_disks 3,5 40M
fill 40
SUM=$(fingerprint)
stop_par
OFFSET=$(data_offset "${DEVS[0]}")
for D in 0 1 3 4; do
	dd if=/dev/urandom of="${DEVS[D]}" bs=512 count=16 seek="$OFFSET" oflag=direct conv=notrunc status=none
done
mark_log
mdadm --assemble --quiet --force "/dev/$MD" "${DEVS[@]}"
mdadm --fail "/dev/$MD" "${DEVS[2]}" 2>/dev/null
timeout 100 dd if=/dev/urandom of="/dev/$MD" bs=1M count=1 seek=60 oflag=direct conv=fsync,notrunc status=none || { log_since; fail "a write has failed"; }
settle
not_logged 'no member accepts'
SUM=$(fingerprint)
stop_par
mdadm --assemble --quiet --run "/dev/$MD" "${DEVS[@]:0:2}" "${DEVS[@]:3}"
assert_eq "$(fingerprint)" "$SUM" "content without the member that had the newest superblock"
end_par
