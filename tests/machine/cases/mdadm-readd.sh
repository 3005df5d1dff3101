#!/bin/bash
# A member that returns is sent only the writes that it has missed; a member whose place was taken is rebuilt.
# plain: yes
# machine: --debug --mem 2G
# timeout: 900
# stock: yes
set -euo pipefail
. "$(dirname "$0")/../tools/par.sh"

PART_MIB=128	# of the array, filled at its beginning: with 3,5 it is a zone
FILLED_MIB=4
WANT_PARTS=$MACHINE_TMP/want	# what they hold
GOT_PARTS=$MACHINE_TMP/got

fill_parts() {
	local at
	for ((at = 0; at + FILLED_MIB <= $(array_mib); at += PART_MIB)); do
		fill "$FILLED_MIB" "$at"
	done
}

# read_part N FILE: its filled beginning and some behind that, into its place in the file.
read_part() {
	local mib=$((FILLED_MIB + 2))
	dd if="/dev/$MD" of="$2" bs=1M skip=$(($1 * PART_MIB)) seek=$(($1 * mib)) count=$mib \
		iflag=direct conv=notrunc status=none
}

# read_parts FILE: all; to read what was never written, too, takes long.
read_parts() {
	local n parts
	parts=$((($(array_mib) - FILLED_MIB) / PART_MIB + 1))
	rm -f "$1"
	for ((n = 0; n < parts; n++)); do read_part $n "$1"; done
}

sectors_read() { local s; read -r -a s <"/sys/block/$1/stat"; echo "${s[2]}"; }
sectors_written() { local s; read -r -a s <"/sys/block/$1/stat"; echo "${s[6]}"; }

settle_whole() { wait_whole; settle; }

# leave MEMBER...: they are failed and removed.
leave() { take_out "$@"; settle; }

# come_back OPTION MEMBER: WRITTEN is how much was written to it until all is whole.
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
	assert_le "$WRITTEN" $((FULL / 2)) "sectors written to a member that was back soon"
}

rebuilt() {
	assert_match "$(log_since)" 'is new and will be rebuilt' "kernel log"
	assert_le $((FULL * 9 / 10)) "$WRITTEN" "sectors written to a new member"
}

# right WHAT: the data, and parity everywhere.
right() {
	read_parts "$GOT_PARTS"
	cmp "$WANT_PARTS" "$GOT_PARTS" || fail "content: $1"
	no_mismatch
	reassemble_par	# what was being written is forgotten
}

# write_part N: some of what the part holds, or more; one part at a time.
write_part() {
	fill 2 $(($1 * PART_MIB + FILLED_MIB - 1))
	read_part "$1" "$WANT_PARTS"
}

# begin LAYOUT: images are there, and nothing is being written.
begin() {
	note "$1"
	mkspindles "$(top_gear "$1")" 512M
	create_par "$1" --chunk=64
	fill_parts
	shift_to "$(low_gear "$1")"
	shift_to "$(top_gear "$1")"
	reassemble_par
	read_parts "$WANT_PARTS"
}

# full MEMBER: what a whole rebuild takes, by parity.
full() {
	leave "$1"
	mdadm --zero-superblock "${DEVS[$1]}"
	come_back --add "$1"
	FULL=$WRITTEN
	assert_match "$(log_since)" 'is new and will be rebuilt' "kernel log"
	right "a new member $1"
}

end() {
	stop_par
	dissect
	rmdisks
}

# Each member, with each way to come back.
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
		# mdadm waits for 50 ms only until a failed member can be removed.
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

# It dies, or is pulled out, and lives again. Who writes finds out.
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

# The array is not writable when it comes back. mdadm ends auto-read-only; when
# it is read-only, nothing happens until it is not any more.
while_read_only() {
	local d=$1 name before
	note "member $d, while the array is $2"
	leave "$d"
	write_part 1
	stop_par
	echo 1 >/sys/module/md_mod/parameters/start_ro
	mdadm --assemble --quiet --run "/dev/$MD" "${DEVS[@]:0:d}" "${DEVS[@]:d+1}"
	echo 0 >/sys/module/md_mod/parameters/start_ro
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

# Another one had its place, and left it.
taken() {
	local d=$1
	note "the place of member $d is taken"
	mkspindles 1 512M
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

# What a sleeper holds is in its images: the other sleepers are not read.
from_images() {
	local d=$1 name before=() other=$2
	note "member $d, from its images"
	shift_to "$(low_gear "$LAYOUT")"
	write_part 1
	reassemble_par	# what was being written when it left would be made from parity
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

# Written all the time.
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

# What is skipped counts as read; md naps for half a second when that is more than the limit.
echo 10000000 >/proc/sys/dev/raid/speed_limit_max
begin 3,5
soon_back 1
soon_back 4
unplugged 0 dead 1 0
unplugged 3 online 0 1
while_read_only 1 read-auto
while_read_only 4 readonly
taken 2
from_images 4 3
busy 1
end

begin raid6:4,8
full 2
note "two are away"
leave 2 6
write_part 1
mdadm --quiet "/dev/$MD" --re-add "${DEVS[2]}" --re-add "${DEVS[6]}" 2>/dev/null
settle_whole
assert_match "$(dmesg)" 'member 2 .*is back and is sent the writes that it has missed' "kernel log"
assert_match "$(dmesg)" 'member 6 .*is back and is sent the writes that it has missed' "kernel log"
right "two members"
end
