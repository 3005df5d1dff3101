#!/bin/bash
# The resync of a full array after a crash reads and writes only the zones that were being written.
# subject: sync
# machine: --debug --mem 3G
. "$(dirname "$0")/../tools/par.sh"

ZONE=128		# MiB of the array in a zone of 3,5 with segments of 64 KiB,
ZONE_SECTORS=65536	# and sectors of each member
PART=32			# MiB of each zone that are filled

# All rows of a zone with an intent count as written; in other zones only those that have been written.
WRITTEN_SECTORS=$((ZONE_SECTORS * PART / ZONE))

declare -A BEFORE

sectors_now() { local name; for name in "${DISKS[@]}"; do BEFORE[$name]=$(sectors_of "$name"); done; }

# fill_zones: fill a part of each zone, and its images in the lower gear's set. No intent is left after a shift.
fill_zones() {
	local at
	dd if=/dev/urandom of="$MACHINE_TMP/part" bs=1M count=$PART status=none
	ZONES=0
	for ((at = 0; at + PART <= $(array_mib); at += ZONE)); do
		dd if="$MACHINE_TMP/part" of="/dev/$MD" bs=1M seek="$at" oflag=direct conv=notrunc status=none
		ZONES=$((ZONES + 1))
	done
	shift_to 3
	shift_to 5
}

# write_zones ZONE...: write the same data to each.
write_zones() {
	local zone
	for zone in "$@"; do
		dd if="$MACHINE_TMP/part" of="/dev/$MD" bs=1M skip=8 seek=$((zone * ZONE + 4)) count=1 \
			oflag=direct conv=fsync,notrunc status=none
	done
}

# crash_writing ZONE...: cut the power right after the zones were written: their intents last for half a
# minute, and reading all data takes longer on a busy host.
crash_writing() {
	write_zones "$@"
	SUM=$(fingerprint_zones)
	write_zones "$@"
	power_cut 9
}

fingerprint_zones() {
	local zone
	for ((zone = 0; zone < ZONES; zone++)); do
		dd if="/dev/$MD" bs=1M skip=$((zone * ZONE)) count=8 iflag=direct status=none
	done | sha256sum
}

# resync ZONES: resync, and count the sectors of each member from before its begin.
resync() {
	auto_read_only assemble_par
	assert_eq "$(par resync)" "$1" "zones to be resynced"
	sectors_now
	mdadm --quiet --readwrite "/dev/$MD"
	wait_for "/sys/block/$MD/md/par/resync" none 120
	wait_for "/sys/block/$MD/md/sync_action" idle
}

# cost_at_most ZONES: the resync's requests are those of these zones, and for metadata.
cost_at_most() {
	local name cost want=$(($1 * ZONE_SECTORS))
	for name in "${DISKS[@]}"; do
		cost=$(($(sectors_of "$name") - BEFORE[$name]))
		note "$name: $cost sectors, $1 zones have $want, the written rows of the others $(((ZONES - $1) * WRITTEN_SECTORS))"
		assert_le "$cost" $((want + want / 20)) "$name: sectors of a resync of $1 zones"
		assert_le "$want" "$cost" "sectors of $1 zones, of the sectors requested from $name"
	done
}

on_spindles 3,5 1G
fill_zones
assert_le 14 "$ZONES" "zones"
crash_writing 3 10
resync 8	# two groups of zones
cost_at_most 8
assert_eq "$(fingerprint_zones)" "$SUM" "content"
no_mismatch

note "the intents of neighbouring zones are stored at once"
settle
write_zones 12
before=$(par metadata_writes)
write_zones 7 6 5 4
assert_eq $(($(par metadata_writes) - before)) 1 "blocks of metadata for four zones"
end_par
