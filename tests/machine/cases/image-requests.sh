#!/bin/bash
# A write to an image causes as few requests to disks when many requests are sent at a time as when one is.
# subject: shift
# plain: yes
# needs: raid-tracer
. "$(dirname "$0")/../tools/policy.sh"

# done_by_disks: the number of their reads and writes
done_by_disks() { echo $(($(of_disks reads) + $(of_disks writes))); }

# cost DEPTH: the number of the disks' requests for 150 writes of 64 KiB and as many reads, DEPTH of them at a time
cost() {
	local before
	before=$(done_by_disks)
	send "$MACHINE_TMP/random" --at-once --depth "$1"
	settle
	echo $(($(done_by_disks) - before))
}

on_spindles 3,5 128M
fill_all
"$TRACER" trace synth random --requests 300 --size 64K --reads 50 --span "$(blockdev --getsize64 "/dev/$MD")" -o "$MACHINE_TMP/random"
shift_to 3
ONE=$(cost 1)
MANY=$(cost 4)
echo "requests to disks: $ONE for one at a time, $MANY for four"
[ "$MANY" -le $((ONE * 6 / 5)) ] || fail "$MANY requests to disks for what takes $ONE one after the other"
stop_par
