#!/bin/bash
# A rescue uses no blocks of a member that left before: rows written since then have their data, and are not read as zeros.
# subject: mdadm
# plain: yes
. "$(dirname "$0")/../tools/par.sh"

# Member 0 leaves, rows are written, and then the only other member that never sleeps is lost: no newest block is left.
on_disks 2,5 40M
fill 2
reassemble_par
take_out 0
settle
fill 8 8
settle
dd if="/dev/$MD" of="$MACHINE_TMP/was" bs=1M skip=8 count=8 iflag=direct status=none
stop_par

others 1
mark_log
refused mdadm --assemble --force --run "/dev/$MD" "${OTHERS[@]}"
logged 'update=par-rescue: every row'
mdadm --assemble --quiet --run --update=par-rescue "/dev/$MD" "${OTHERS[@]}"
dd if="/dev/$MD" of="$MACHINE_TMP/is" bs=1M skip=8 count=8 iflag=direct status=none
# Each chunk of 64 KiB whose home copy is on one of the three other members is right; those of the two that are lost cannot be.
RIGHT=0
for ((I = 0; I < 128; I++)); do
	cmp -s -i $((I << 16)) -n 65536 "$MACHINE_TMP/was" "$MACHINE_TMP/is" && RIGHT=$((RIGHT + 1))
done
ZEROS=$(tr -d '\0' <"$MACHINE_TMP/is" | wc -c)
note "$RIGHT of 128 chunks are right; $ZEROS bytes are not zero"
[ "$RIGHT" -ge 64 ] || fail "only $RIGHT of 128 chunks are what was written; $ZEROS bytes are not zero"
end_par
