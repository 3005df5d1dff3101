#!/bin/bash
# With one failed member more than parities, the array is reported as failed, writes fail, data on the remaining members is readable, and nothing hangs.
# subject: member
# timeout: 300
#
# RAIDPAR_WHOLE=1: another pair of members, and RAID-0.
set -euo pipefail
. "$(dirname "$0")/../tools/par.sh"

modprobe spindle

die() { echo 1 >"/sys/kernel/config/spindle/spin$1/dead"; }

BLOCKS=({0..31})	# of 64 KiB, a chunk each: the first 2 MiB

# Those that can be read, and are right.
readable() {
	local i good=()
	for i in "${BLOCKS[@]}"; do
		if dd if="/dev/$MD" of="$MACHINE_TMP/block" bs=64k skip="$i" count=1 iflag=direct status=none 2>/dev/null; then
			cmp -s "$MACHINE_TMP/block" <(dd if="$MACHINE_TMP/all" bs=64k skip="$i" count=1 status=none) ||
				fail "$LAYOUT: block $i is wrong"
			good+=("$i")
		fi
	done
	echo "${good[*]}"
}

# on_living MEMBER...: those whose home copy is on none of these members. Chunks
# go round behind the parity, which goes from the last member to the first.
on_living() {
	local n parities=1 i d living=()
	n=$(top_gear "$LAYOUT")
	case $LAYOUT in raid6:*) parities=2 ;; raid0:*) parities=0 ;; esac
	for i in "${BLOCKS[@]}"; do
		d=$((i % (n - parities)))
		[ "$parities" = 0 ] || d=$(((n - 1 - i / (n - parities) % n + parities + d) % n))
		[[ " $* " == *" $d "* ]] || living+=("$i")
	done
	echo "${living[*]}"
}

# What the array says of itself. As md's own, RAID-0 passes errors on and fails nobody.
says_failed() {
	[[ $LAYOUT != raid0* ]] || return 0
	wait_for "/sys/block/$MD/md/array_state" broken
	assert_match "$(cat /proc/mdstat)" "$MD : broken" "$LAYOUT: mdstat"
	assert_match "$(mdadm --detail "/dev/$MD")" 'State : [^[:cntrl:]]*FAILED' "$LAYOUT: mdadm --detail"
}

# Members FIRST… die one after another while a writer is at work elsewhere.
lose() {
	local gear=$1 writer d good living
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
	good=$(readable)
	living=$(on_living "$@")
	note "blocks that can be read: $good"
	assert_ne "$good" "" "$LAYOUT: readable blocks"
	assert_eq "$good" "$living" "$LAYOUT: readable blocks, want those on members that live"
	says_failed
	refused dd if=/dev/zero of="/dev/$MD" bs=64k count=32 oflag=direct conv=notrunc status=none
	[[ $LAYOUT != raid0* ]] || return 0	# it has taken what is for those who live
	assert_eq "$(readable)" "$living" "$LAYOUT: readable blocks after a write that failed"
	says_failed
}

try() {
	local layout=$1 gear
	shift
	for gear in $(gears "$layout"); do
		note "$layout, gear $gear: members $* die"
		mkspindles "$(top_gear "$layout")" 32M
		create_par "$layout" --chunk=64
		give_up_soon
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
	assert_eq "$(readable)" "${BLOCKS[*]}" "readable blocks"
	fill 4
	echo 0 >/sys/kernel/config/spindle/spin3/dead
	shift_to 5
	assert_match "$(cat /proc/mdstat)" '\[5/4\]' "the one that is still dead has failed"
}

# One that is awake fails, and a sleeper does not wake up: the gear serves all, as
# long as nobody asks for more than it has.
die_at_once() {
	local tries
	note "$LAYOUT: members 0 and 4 die at one instant in the low gear"
	shift_to 3
	dd if="/dev/$MD" of="$MACHINE_TMP/all" bs=1M count=2 iflag=direct status=none
	die 0
	die 4
	assert_eq "$(readable)" "${BLOCKS[*]}" "readable blocks"
	fill 2 4
	wait_for "/sys/block/$MD/md/par/shift_last_error" -112
	settle
	assert_eq "$(par gear)" 3 "gear"
	tries=$(requests "${DISKS[4]}")
	dd if="/dev/$MD" of="$MACHINE_TMP/all" bs=1M count=8 iflag=direct status=none
	nap 3
	assert_eq "$(requests "${DISKS[4]}")" "$tries" "requests to a member that does not wake"
	timeout 20 mdadm --readonly "/dev/$MD"
	assert_eq "$(requests "${DISKS[4]}")" "$tries" "requests to it as the array turns read-only"
	mdadm --readwrite "/dev/$MD"
	fill 2 4
	dd if="/dev/$MD" of="$MACHINE_TMP/all" bs=1M count=8 iflag=direct status=none
	assert_match "$(cat /proc/mdstat)" '\[5/4\] \[_UUUU\]' "nobody else has failed"
	echo 1 >"/sys/block/$MD/md/par/scrub_wakes"
	echo check >"/sys/block/$MD/md/sync_action" || true
	wait_for "/sys/block/$MD/md/sync_action" idle
	assert_eq "$(par gear)" 3 "gear after a check that should wake all"

	note "it is itself again"
	echo 0 >/sys/kernel/config/spindle/spin4/dead
	echo 5 >"/sys/block/$MD/md/par/gear"
	settle
	assert_eq "$(par gear)" 5 "gear"
	assert_eq "$(readable)" "${BLOCKS[*]}" "readable blocks in the top gear"
}

# What cannot be done without the sleeper breaks the array, and nobody who lives
# is taken for failed.
needs_the_dead() {
	local good block
	note "$LAYOUT: member 3 has failed, member 4 does not wake up"
	shift_to 3
	dd if="/dev/$MD" of="$MACHINE_TMP/all" bs=1M count=2 iflag=direct status=none
	die 3
	die 4
	echo faulty >"/sys/block/$MD/md/dev-${DISKS[3]}/state"
	wait_for "/sys/block/$MD/md/par/shift_last_error" -112
	assert_eq "$(readable)" "${BLOCKS[*]}" "readable blocks"
	refused timeout 60 dd if=/dev/zero of="/dev/$MD" bs=64k seek=64 count=32 oflag=direct conv=notrunc status=none
	says_failed
	assert_match "$(cat /proc/mdstat)" '\[5/3\] \[UUU__\]' "who has failed"
	# And perhaps more: what raid5 has in its cache.
	good=$(readable)
	for block in $(on_living 3 4); do
		[[ " $good " == *" $block "* ]] || fail "block $block lies on a member that lives and cannot be read"
	done
}

# with_spindles FUNCTION: an array of 3,5 for it.
with_spindles() {
	mkspindles 5 32M
	create_par 3,5 --chunk=64
	give_up_soon
	fill 20
	"$1"
	stop_par
	rmdisks
}

with_spindles sleepers_die
with_spindles die_at_once
with_spindles needs_the_dead

try 3,5 0 4
try raid6:4,8 0 4 7
if [ -n "${RAIDPAR_WHOLE:-}" ]; then
	try 3,5 1 0
	try raid0:2,5 1
fi
