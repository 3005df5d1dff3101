#!/bin/bash
# With more unreadable blocks in a stripe than parities, requests for these blocks return an error, as on md raid5, and no member is failed.
# subject: data
. "$(dirname "$0")/../tools/par.sh"

MIB=8
CHUNK=20	# of 64 KiB; the kernel does not look for partitions there

# begin LAYOUT: create an array with data. HOME_AT has the member and the sector of each chunk in CHUNK's stripe.
begin() {
	local i
	note "$1"
	PARITIES=$(parities "$1")
	WIDTH=$(($(top_gear "$1") - PARITIES))
	FIRST=$((CHUNK / WIDTH * WIDTH))
	on_spindles "$1" 32M
	put 1M 0 $MIB
	stop_par
	HOME_AT=()
	for ((i = 0; i < WIDTH; i++)); do
		mapfile -t places < <(dissect --where $((FIRST + i)))
		HOME_AT+=("${places[0]}")
	done
	assemble_par
	settle
}

# spoil "MEMBER SECTOR" OFFSET: make a block unreadable.
spoil() { echo "read $((${1#* } + $2)) 8" >"$SPINDLES/${DISKS[${1% *}]}/errors"; }

all_clean() {
	all_up "$1"
	wait_for "/sys/block/$MD/md/array_state" clean	# active until 200 ms after a write
}

block() { dd if="/dev/$MD" bs=4k skip="$1" count=1 iflag=direct status=none; }
errs() { ! block "$1" >/dev/null 2>&1 || fail "$2: an unreadable block was read"; }

# rest_right BLOCK...: all blocks of the array except these are right.
rest_right() {
	local at=0 b
	for b in "$@" $((MIB * 256)); do
		cmp <(dd if="$MODEL" bs=4k skip="$at" count=$((b - at)) status=none) \
			<(dd if="/dev/$MD" bs=4k skip="$at" count=$((b - at)) iflag=direct status=none) ||
			fail "blocks $at to $((b - 1)): not what was written"
		at=$((b + 1))
	done
}

# written: write the whole stripe.
written() {
	dd if="$MODEL" of="/dev/$MD" bs=256k skip=$((FIRST / 4)) seek=$((FIRST / 4)) count=1 oflag=direct \
		conv=notrunc,fsync status=none 2>/dev/null
}

# In a stripe of the home set, block 3 is unreadable in one chunk more than there are parities.
home_stripe() {
	local bad=() i
	for ((i = 0; i <= PARITIES; i++)); do
		spoil "${HOME_AT[i]}" 24
		bad+=($(((FIRST + i) * 16 + 3)))
	done
	for i in "${bad[@]}"; do errs "$i" "home copies"; done
	all_clean "home copies"
	rest_right "${bad[@]}"
	refused dd if=/dev/zero of="/dev/$MD" bs=512 seek=$((bad[0] * 8 + 1)) count=1 oflag=direct conv=notrunc status=none
	all_clean "a write to a part of what cannot be read"
	reassemble_par
	settle
	errs "${bad[0]}" "assembled again"
	dd if=/dev/urandom of="$MODEL" bs=64k seek="$FIRST" count=$WIDTH conv=notrunc status=none
	for ((i = 0; i < 8; i++)); do
		! written || break
		nap 3	# until raid5's list is forgotten
	done
	assert_ne "$i" 8 "writes of the whole stripe that returned an error"
	rest_right
	all_clean "written as a whole"
	for ((i = 0; i <= PARITIES; i++)); do
		wait_for "$SPINDLES/${DISKS[${HOME_AT[i]% *}]}/errors" ""
	done
}

for layout in 3,5 raid6:4,6; do
	begin "$layout"
	home_stripe
	end_par
done
