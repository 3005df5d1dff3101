#!/bin/bash
# A member that returns is sent only the writes that it has missed; a member whose place was taken is rebuilt.
# plain: yes
# timeout: 900
# stock: yes
# RAIDPAR_WHOLE=1: a member that never sleeps returns by each command, too.
. "$(dirname "$0")/../tools/par.sh"

PART_MIB=128	# of the array, filled at its beginning: with 3,5 it is a zone
FILLED_MIB=4
WANT_PARTS=$MACHINE_TMP/want	# the expected content of these parts
GOT_PARTS=$MACHINE_TMP/got

fill_parts() {
	local at
	for ((at = 0; at + FILLED_MIB <= $(array_mib); at += PART_MIB)); do
		fill "$FILLED_MIB" "$at"
	done
}

# read_part N FILE: read the filled beginning of the part and some data after it, into its place in the file.
read_part() {
	local mib=$((FILLED_MIB + 2))
	dd if="/dev/$MD" of="$2" bs=1M skip=$(($1 * PART_MIB)) seek=$(($1 * mib)) count=$mib \
		iflag=direct conv=notrunc status=none
}

# read_parts FILE: read all written parts. Reading the others would take long.
read_parts() {
	local n parts
	parts=$((($(array_mib) - FILLED_MIB) / PART_MIB + 1))
	rm -f "$1"
	for ((n = 0; n < parts; n++)); do read_part $n "$1"; done
}

sectors_read() { local s; read -r -a s <"/sys/block/$1/stat"; echo "${s[2]}"; }
sectors_written() { local s; read -r -a s <"/sys/block/$1/stat"; echo "${s[6]}"; }

settle_whole() { wait_whole; settle; }

# leave MEMBER...: fail and remove the members.
leave() { take_out "$@"; settle; }

# come_back OPTION MEMBER: add the member; WRITTEN is the number of sectors written to it until it is whole.
come_back() {
	local name=${DISKS[$2]} before
	mark_log
	before=$(sectors_written "$name")
	mdadm "/dev/$MD" "$1" "/dev/$name" >"$MACHINE_TMP/said" 2>&1 ||
		fail "$1: $(cat "$MACHINE_TMP/said")"
	settle_whole
	WRITTEN=$(($(sectors_written "$name") - before))
	note "$1 of member $2: $((WRITTEN / 2)) KiB"
}

rejoined() {
	assert_match "$(log_since)" 'is back and is sent the writes that it has missed' "kernel log"
	assert_le "$WRITTEN" $((FULL / 2)) "sectors written to a member that returned soon"
}

rebuilt() {
	assert_match "$(log_since)" 'is new and will be rebuilt' "kernel log"
	assert_le $((FULL * 9 / 10)) "$WRITTEN" "sectors written to a new member"
}

# right WHAT: the data and all parity are right.
right() {
	read_parts "$GOT_PARTS"
	cmp "$WANT_PARTS" "$GOT_PARTS" || fail "content: $1"
	no_mismatch
	reassemble_par	# no intent is left
}

# write_part N: overwrite some data of the part, or add some; one part at a time.
write_part() {
	fill 2 $(($1 * PART_MIB + FILLED_MIB - 1))
	read_part "$1" "$WANT_PARTS"
}

# begin LAYOUT: create an array with valid images and without intents.
begin() {
	note "$1"
	on_spindles "$1" 1G
	fill_parts
	shift_to "$(low_gear "$1")"
	shift_to "$(top_gear "$1")"
	reassemble_par
	read_parts "$WANT_PARTS"
}

# full MEMBER: FULL is the number of sectors that a whole rebuild from parity writes.
full() {
	leave "$1"
	mdadm --zero-superblock "${DEVS[$1]}"
	come_back --add "$1"
	FULL=$WRITTEN
	assert_match "$(log_since)" 'is new and will be rebuilt' "kernel log"
	right "a new member $1"
}

# Each member returns by each command.
soon_back() {
	local d=$1 i
	full "$d"

	leave "$d"
	write_part 1
	come_back --re-add "$d"
	rejoined
	right "--re-add of $d"

	leave "$d"
	write_part 2
	come_back --add "$d"
	rejoined
	assert_match "$(<"$MACHINE_TMP/said")" 're-added' "--add says"
	right "--add of $d"

	note "still attached"
	mdadm --quiet "/dev/$MD" --fail "${DEVS[d]}" 2>/dev/null
	settle
	write_part 3
	come_back --re-add "$d"
	rejoined
	right "--re-add of $d, which was attached"

	note "in one command"
	for ((i = 0; i < 5; i++)); do
		mark_log
		! mdadm --quiet "/dev/$MD" --fail "${DEVS[d]}" --remove "${DEVS[d]}" \
			--re-add "${DEVS[d]}" 2>/dev/null || break
		# mdadm waits only 50 ms for a failed member to become removable.
		detached "$d"
		manage --remove "${DEVS[d]}"
		manage --re-add "${DEVS[d]}"
		settle_whole
	done
	settle_whole
	assert_ne "$i" 5 "tries of --re-add of $d in one command"
	assert_match "$(log_since)" 'is back and is sent the writes that it has missed' "kernel log"
	right "--re-add of $d in one command"
}

# A disk dies or is unplugged, and works again later. The next write to it fails.
unplugged() {
	local d=$1 attribute=$2 off=$3 on=$4
	note "member $d: $attribute $off, then $on"
	echo "$off" >"$SPINDLES/${DISKS[d]}/$attribute"
	write_part 1
	wait_for "/sys/block/$MD/md/degraded" 1
	settle
	detached "$d"
	mdadm --quiet "/dev/$MD" --remove failed
	write_part 2
	echo "$on" >"$SPINDLES/${DISKS[d]}/$attribute"
	come_back --re-add "$d"
	rejoined
	right "a member that was unplugged"
}

# The member returns while the array is not writable. mdadm ends auto-read-only. In a read-only
# array the rebuild waits until the array is writable.
while_read_only() {
	local d=$1 name before
	note "member $d, while the array is $2"
	leave "$d"
	write_part 1
	stop_par
	auto_read_only mdadm --assemble --quiet --run "/dev/$MD" "${DEVS[@]:0:d}" "${DEVS[@]:d+1}"
	[ "$2" = read-auto ] || mdadm --readonly "/dev/$MD"
	wait_for "/sys/block/$MD/md/array_state" "$2"
	name=${DISKS[d]}
	if [ "$2" = read-auto ]; then
		come_back --re-add "$d"
		rejoined
		right "re-added while $2"
		return
	fi
	mark_log
	mdadm --quiet "/dev/$MD" --re-add "${DEVS[d]}" 2>/dev/null
	before=$(sectors_written "$name")
	nap 1
	assert_eq "$(sectors_written "$name")" "$before" "sectors written by a read-only array"
	mdadm --readwrite "/dev/$MD"
	settle_whole
	WRITTEN=$(($(sectors_written "$name") - before))
	rejoined
	right "re-added while $2"
}

# Another disk took the member's place and left it again.
taken() {
	local d=$1
	note "the place of member $d is taken"
	mkspindles 1 1G
	leave "$d"
	mdadm --quiet "/dev/$MD" --add "${DEVS[-1]}"
	settle_whole
	refused mdadm "/dev/$MD" --re-add "${DEVS[d]}"
	assert_match "$REFUSAL" 'not possible' "--re-add of one whose place is taken"
	write_part 1
	leave "$((${#DEVS[@]} - 1))"
	come_back --re-add "$d"
	rebuilt
	right "a member whose place was taken"
	note "and the other one, whose place it was then"
	leave "$d"
	come_back --re-add "$((${#DEVS[@]} - 1))"
	rebuilt
	right "the other one"
	leave "$((${#DEVS[@]} - 1))"
	come_back --re-add "$d"
	unset 'DEVS[-1]'
	rmdir "$SPINDLES/${DISKS[-1]}"
	unset 'DISKS[-1]'
}

# A sleeper is rebuilt from its images: the other sleepers are not read.
from_images() {
	local d=$1 name before=() other=$2
	note "member $d, from its images"
	shift_to "$(low_gear "$LAYOUT")"
	write_part 1
	reassemble_par	# zones with an intent when it leaves would be rebuilt from parity
	leave "$d"
	mdadm --zero-superblock "${DEVS[d]}"
	for name in "${DISKS[@]}"; do before+=("$(sectors_read "$name")"); done
	come_back --add "$d"
	rebuilt
	assert_le $(($(sectors_read "${DISKS[other]}") - before[other])) $((FULL / 20)) \
		"sectors read from the other sleeper"
	assert_le $((FULL / 4)) $(($(sectors_read "${DISKS[0]}") - before[0])) \
		"sectors read from a member of the gear"
	right "a new member $d from its images"
}

# The array is written during the whole test.
busy() {
	local d=$1 pid
	note "member $d, while the array is written"
	"$TOOLS/shadow.py" "/dev/$MD" --seed 7 --ops 1500 --mib 12 --save "$MACHINE_TMP/shadow" &
	pid=$!
	while kill -0 "$pid" 2>/dev/null; do
		leave "$d"
		come_back --re-add "$d"
	done
	wait "$pid"
	"$TOOLS/shadow.py" "/dev/$MD" --seed 7 --check "$MACHINE_TMP/shadow"
	read_parts "$WANT_PARTS"
	right "re-added while written"
}

# md counts skipped sectors as read, and sleeps for half a second if their rate exceeds the limit.
echo 10000000 >/proc/sys/dev/raid/speed_limit_max
begin 3,5
soon_back 4
[ -z "${RAIDPAR_WHOLE:-}" ] || soon_back 1
unplugged 0 dead 1 0
unplugged 3 online 0 1
while_read_only 1 read-auto
while_read_only 4 readonly
taken 2
from_images 4 3
busy 1
end_dissected

begin raid6:4,8
full 2
note "two are away"
leave 2 6
write_part 1
mark_log
mdadm --quiet "/dev/$MD" --re-add "${DEVS[2]}" --re-add "${DEVS[6]}" 2>/dev/null
settle_whole
for d in 2 6; do logged "member $d .*is back and is sent the writes that it has missed"; done
right "two members"
end_dissected
echo 200000 >/proc/sys/dev/raid/speed_limit_max
