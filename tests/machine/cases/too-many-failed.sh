#!/bin/bash
# With one failed member more than parities, the array is reported as failed, writes fail, data on the remaining members is readable, and nothing hangs.
# plain: yes
# subject: member
# RAIDPAR_WHOLE=1: another pair of members, and RAID-0.
. "$(dirname "$0")/../tools/par.sh"

die() { echo 1 >"/sys/kernel/config/spindle/spin$1/dead"; }

BLOCKS=({0..31})	# of 64 KiB, a chunk each: the first 2 MiB

# Print the blocks that can be read and are right.
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

# on_living MEMBER...: print the blocks whose home copy is on none of these members. The chunks of
# a stripe follow its parity, which moves from the last member to the first.
on_living() {
	local n parities i d living=()
	n=$(top_gear "$LAYOUT") parities=$(parities "$LAYOUT")
	for i in "${BLOCKS[@]}"; do
		d=$((i % (n - parities)))
		[ "$parities" = 0 ] || d=$(((n - 1 - i / (n - parities) % n + parities + d) % n))
		[[ " $* " == *" $d "* ]] || living+=("$i")
	done
	echo "${living[*]}"
}

listen

# The array reports itself as failed. RAID-0, as md's own, passes errors on and fails no member.
says_failed() {
	[[ $LAYOUT != raid0* ]] || return 0
	wait_for "/sys/block/$MD/md/array_state" broken
	heard 'fail MEMBER=[0-9]+ DEVICE=[a-z0-9]+ LEFT=[0-9]+ MEMBERS=[0-9]+ STATE=broken$'
	assert_match "$(cat /proc/mdstat)" "$MD : broken" "$LAYOUT: mdstat"
	assert_match "$(mdadm --detail "/dev/$MD")" 'State : [^[:cntrl:]]*FAILED' "$LAYOUT: mdadm --detail"
}

# Members FIRST… die one after another while another part of the array is written.
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
	# RAID-0, as md's own, passes errors on and fails no member.
	[[ $LAYOUT == raid0* ]] || assert_match "$(cat /proc/mdstat)" "\\[$(top_gear "$LAYOUT")/$(($(top_gear "$LAYOUT") - $#))\\]" "$LAYOUT: mdstat"
	good=$(readable)
	living=$(on_living "$@")
	note "blocks that can be read: $good"
	assert_ne "$good" "" "$LAYOUT: readable blocks"
	assert_eq "$good" "$living" "$LAYOUT: readable blocks, want those on working members"
	says_failed
	refused dd if=/dev/zero of="/dev/$MD" bs=64k count=32 oflag=direct conv=notrunc status=none
	[[ $LAYOUT != raid0* ]] || return 0	# RAID-0 has executed the writes to the working members
	assert_eq "$(readable)" "$living" "$LAYOUT: readable blocks after a write that failed"
	says_failed
}

try() {
	local layout=$1 gear
	shift
	for gear in $(gears "$layout"); do
		note "$layout, gear $gear: members $* die"
		on_spindles "$layout" 32M
		give_up_soon
		fill 6
		lose "$gear" "$@"
		end_par
	done
}

# No request reaches the dead sleepers, and the images hold everything.
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
	assert_match "$(cat /proc/mdstat)" '\[5/4\]' "members, one of which is still dead and has failed"
}

# A member that is awake fails, and a sleeper does not wake up: the low gear serves all requests
# that do not need the sleeper.
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
	assert_match "$(cat /proc/mdstat)" '\[5/4\] \[_UUUU\]' "members, of which only member 0 has failed"
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

# A request that needs the dead sleeper breaks the array, and no working member is failed.
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
	assert_match "$(cat /proc/mdstat)" '\[5/3\] \[UUU__\]' "failed members"
	# Further blocks may be readable because they are in raid5's cache.
	good=$(readable)
	for block in $(on_living 3 4); do
		[[ " $good " == *" $block "* ]] || fail "block $block is on a working member and cannot be read"
	done
}

# with_spindles FUNCTION: run the function with an array with layout 3,5.
with_spindles() {
	on_spindles 3,5 32M
	give_up_soon
	fill 20
	"$1"
	end_par
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
