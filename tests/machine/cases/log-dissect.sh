#!/bin/bash
# dissect.py notices a summary of a unit of the log that names a copy without a record, has wrong entries, or is of a unit that is lost.
. "$(dirname "$0")/../tools/log.sh"

# says WHAT TEXT: dissect.py fails with this text.
says() {
	local said
	! said=$(dissect 2>&1) || fail "$1 is not noticed: $said"
	[[ $said == *"$2"* ]] || fail "$1: $said"
}

# forge UNIT PLACE [STATEMENT]: give member 1 the summary of this unit that member 0 has, in this place, after the statement,
# and with the right checksum. The area of 24 units on each of three members would have 36 units of two copies.
forge() {
	PYTHONPATH=$TOOLS python3 -c '
import os, struct, sys
from dissect import crc32c
source, target, first, unit, place, statement = sys.argv[1:]
raw = bytearray(os.pread(os.open(source, os.O_RDONLY), 4096, int(first) * 512 + int(unit) * 4096))
exec(statement)
raw[4:8] = bytes(4)
raw[4:8] = struct.pack("<I", crc32c(raw))
os.pwrite(os.open(target, os.O_WRONLY | os.O_SYNC), raw, int(first) * 512 + int(place) * 4096)' \
		"${DEVS[0]}" "${DEVS[1]}" $((LOG_AT + LOG_LENGTH - 36 * 8)) "$1" "$2" "${3:-}"
}

on_log 3,5 12
write_some 1 400
sync -d "/dev/$MD"
stop_par
said=$(dissect)
[[ $said =~ \ ([0-9]+)\ of\ ([0-9]+)\ units\ summarized ]] || fail "no units: $said"
assert_eq "${BASH_REMATCH[1]}" $((BASH_REMATCH[2] - 1)) "summaries of units, of which the last one is not complete"
units=${BASH_REMATCH[2]}

# With two copies on three members, the second copy of unit 1 lies on member 0, as unit 1 of its area.
log_range $((128 + 3))
dd if="${DEVS[0]}" of="$MACHINE_TMP/block" bs=512 skip="$FIRST" count=8 iflag=direct status=none
wipe_log 0 $((128 + 3))
says "a record that a copy lacks" "names copy 1, which lacks a record"
dd if="$MACHINE_TMP/block" of="${DEVS[0]}" bs=512 seek="$FIRST" count=8 oflag=direct conv=notrunc status=none
dissect

# A sound summary with an entry of another block; and one of this run of a unit that the log has not reached.
forge 2 2 "raw[64 + 12 * 1] ^= 1"
says "a wrong entry" "which are not those of the unit"
forge 3 2 "raw[24:32] = (2 * 128).to_bytes(8, 'little')"
says "entries of another unit" "which are not those of the unit"
forge 2 2
dissect
forge 2 $((units + 1)) "raw[24:32] = ($((units + 1)) * 128).to_bytes(8, 'little')"
says "a unit that is lost" "which are not those of the unit: 0"
rmdisks
