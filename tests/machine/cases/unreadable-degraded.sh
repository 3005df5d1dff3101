#!/bin/bash
# A block that a degraded array cannot read returns an error, and no other block does; no member is failed, and no read is repeated indefinitely.
# subject: data
# again: --kernel 7.2
. "$(dirname "$0")/../tools/par.sh"

MIB=8
CHUNK=20	# of 64 KiB, the first of four in a row; the kernel does not look for partitions there

# begin LAYOUT: create an array with data, and fail as many of the first members as there are parities.
begin() {
	local d
	note "$1"
	PARITIES=$(parities "$1")
	on_spindles "$1" 32M
	put 1M 0 $MIB
	stop_par
	mapfile -t places < <(dissect --where "$CHUNK")
	assemble_par
	settle
	VICTIM=${places[0]% *}
	SECTOR=${places[0]#* }
	LOST=()
	for d in "${!DEVS[@]}"; do
		[ "$d" != "$VICTIM" ] && [ "${#LOST[@]}" -lt "$PARITIES" ] || continue
		mdadm --quiet "/dev/$MD" --fail "${DEVS[d]}"
		LOST+=("$d")
	done
	wait_for "/sys/block/$MD/md/degraded" "$PARITIES"
	settle
}

runs() {
	assert_eq "$(<"/sys/block/$MD/md/degraded")" "$PARITIES" "$1: members missing"
	assert_match "$(<"/sys/block/$MD/md/array_state")" '^(clean|active)' "$1: state"
}

# refuses_one BYTES: a read of this size that includes the block returns an error.
refuses_one() {
	refused dd if="/dev/$MD" of=/dev/null bs="$1" skip=$((CHUNK * 65536 / $1)) count=1 iflag=direct status=none
	runs "read by $1 bytes"
}

# right FIRST COUNT: these blocks of 4 KiB are right.
right() {
	cmp <(dd if="$MODEL" bs=4k skip="$1" count="$2" status=none) \
		<(dd if="/dev/$MD" bs=4k skip="$1" count="$2" iflag=direct status=none) || fail "not what was written"
}

# rest: all blocks are right except those of the row with the unreadable block.
rest() {
	right 0 $((CHUNK * 16))
	right $((CHUNK * 16 + 64)) $((MIB * 256 - CHUNK * 16 - 64))
	runs "the rest"
}

again() {
	stop_par
	start_without "${LOST[@]}"
	settle
}

for layout in 3,5 raid6:4,6; do
	begin "$layout"
	echo "read $SECTOR 8" >"$SPINDLES/spin$VICTIM/errors"
	refuses_one 4096
	refuses_one 65536
	rest
	right $((CHUNK * 16 + 1)) 15	# the blocks next to it
	again
	refuses_one 65536
	refuses_one 4096
	rest
	echo clear >"$SPINDLES/spin$VICTIM/errors"
	again
	right 0 $((MIB * 256))
	end_par
done
