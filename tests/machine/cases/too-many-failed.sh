#!/bin/bash
# One more failed member than there are parities: writes fail, what can be read is readable, nothing hangs, in any gear.
# timeout: 180
set -euo pipefail
. "$(dirname "$0")/../tools/par.sh"

modprobe spindle

die() { echo 1 >"/sys/kernel/config/spindle/spin$1/dead"; }

# Blocks of 64 KiB of the first 2 MiB that can be read, and are right.
count_readable() {
	local i good=0
	for ((i = 0; i < 32; i++)); do
		if dd if="/dev/$MD" of="$MACHINE_TMP/block" bs=64k skip="$i" count=1 iflag=direct status=none 2>/dev/null; then
			cmp -s "$MACHINE_TMP/block" <(dd if="$MACHINE_TMP/all" bs=64k skip="$i" count=1 status=none) ||
				fail "$LAYOUT: block $i is wrong"
			good=$((good + 1))
		fi
	done
	echo "$good"
}

# Members FIRST… die one after another while a writer is at work elsewhere.
lose() {
	local gear=$1 writer d good
	shift
	shift_to "$gear"
	dd if="/dev/$MD" of="$MACHINE_TMP/all" bs=1M count=2 iflag=direct status=none
	while dd if=/dev/zero of="/dev/$MD" bs=64k seek=64 count=16 oflag=direct conv=notrunc status=none 2>/dev/null; do :; done &
	writer=$!
	nap 0.2
	for d in "$@"; do die "$d"; nap 0.3; done
	top_gear "$LAYOUT" >"/sys/block/$MD/md/par/gear" 2>/dev/null || true
	dd if="/dev/$MD" of=/dev/null bs=64k iflag=direct status=none 2>/dev/null || true
	wait "$writer" || true
	# As md's own, RAID-0 passes errors on and fails nobody.
	[[ $LAYOUT == raid0* ]] || assert_match "$(cat /proc/mdstat)" "\\[$(top_gear "$LAYOUT")/$(($(top_gear "$LAYOUT") - $#))\\]" "$LAYOUT: mdstat"
	good=$(count_readable)
	note "$good of 32 blocks can be read"
	assert_ne "$good" 0 "$LAYOUT: readable blocks"
	refused dd if=/dev/zero of="/dev/$MD" bs=64k count=32 oflag=direct conv=notrunc status=none
}

try() {
	local layout=$1 gear
	shift
	for gear in $(gears "$layout"); do
		note "$layout, gear $gear: members $* die"
		mkspindles "$(top_gear "$layout")" 32M
		create_par "$layout" --chunk=64
		fill 6
		lose "$gear" "$@"
		stop_par
		rmdisks
	done
}

# Nobody notices that sleepers are dead, and the images hold everything.
sleepers_die() {
	note "$LAYOUT: all sleepers die asleep"
	shift_to 3
	fill 2
	dd if="/dev/$MD" of="$MACHINE_TMP/all" bs=1M count=2 iflag=direct status=none
	die 3
	die 4
	echo 5 >"/sys/block/$MD/md/par/gear"
	settle
	assert_eq "$(par gear)" 3 "gear"
	assert_ne "$(par shift_last_error)" 0 "the shift's error"
	assert_eq "$(count_readable)" 32 "readable blocks"
	fill 4
	echo 0 >/sys/kernel/config/spindle/spin3/dead
	shift_to 5
	assert_match "$(cat /proc/mdstat)" '\[5/4\]' "the one that is still dead has failed"
}

mkspindles 5 32M
create_par 3,5 --chunk=64
fill 20
sleepers_die
stop_par
rmdisks

try 3,5 0 4
try 3,5 1 0
try raid6:4,8 0 4 7
try raid0:2,5 1
