#!/bin/bash
# A block that a degraded array cannot read fails its member, and nothing reads it for ever; started by force, all else is there.
# again: --kernel 7.2
set -euo pipefail
. "$(dirname "$0")/../tools/par.sh"

MODEL=$MACHINE_TMP/model
MIB=8
CHUNK=20	# of 64 KiB, the first of four in a row; nobody looks for partitions there

# begin LAYOUT: with data, and as many members missing as there are parities, the first ones.
begin() {
	local d
	note "$1"
	PARITIES=1
	[[ $1 != raid6* ]] || PARITIES=2
	mkspindles "$(top_gear "$1")" 32M
	create_par "$1" --chunk=64
	dd if=/dev/urandom of="$MODEL" bs=1M count=$MIB status=none
	dd if="$MODEL" of="/dev/$MD" bs=1M oflag=direct conv=notrunc,fsync status=none
	stop_par
	mapfile -t places < <(dissect --where "$CHUNK")
	assemble_par
	settle
	VICTIM=${places[0]% *}
	SECTOR=${places[0]#* }
	LOST=()
	for d in "${!DEVS[@]}"; do
		[ "$d" != "$VICTIM" ] && [ "${#LOST[@]}" -lt $PARITIES ] || continue
		mdadm --quiet "/dev/$MD" --fail "${DEVS[d]}"
		LOST+=("$d")
	done
	wait_for "/sys/block/$MD/md/degraded" $PARITIES
	settle
}

left() {
	local d
	for d in "${!DEVS[@]}"; do
		[[ " ${LOST[*]} " == *" $d "* ]] || echo "${DEVS[d]}"
	done
}

# refuses_one: the block, to a reader of its own and to one who passes by.
refuses_one() {
	echo "read $SECTOR 8" >"$SPINDLES/spin$VICTIM/errors"
	if dd if="/dev/$MD" of=/dev/null bs="$1" skip=$((CHUNK * 65536 / $1)) count=1 iflag=direct status=none 2>/dev/null; then
		fail "what cannot be read was read"
	fi
	wait_for "/sys/block/$MD/md/array_state" broken 30
	stop_par
}

# right FIRST COUNT: chunks.
right() {
	cmp <(dd if="$MODEL" bs=64k skip="$1" count="$2" status=none) \
		<(dd if="/dev/$MD" bs=64k skip="$1" count="$2" iflag=direct status=none) || fail "not what was written"
}

# forced: all but this row, which the missing ones are made from; and that too once
# the disk can read it again.
forced() {
	mapfile -t devs < <(left)
	mdadm --assemble --quiet --force --run "/dev/$MD" "${devs[@]}"
	right 0 "$CHUNK"
	right $((CHUNK + 4)) $((MIB * 16 - CHUNK - 4))
	echo clear >"$SPINDLES/spin$VICTIM/errors"
	right "$CHUNK" 4
	stop_par	# with what raid5 has in its cache
	mdadm --assemble --quiet --run "/dev/$MD" "${devs[@]}"
}

for layout in 3,5 raid6:4,6; do
	begin "$layout"
	refuses_one 4096
	forced
	refuses_one 65536
	forced
	stop_par
	rmdisks
done
