#!/bin/bash
# A rebuild that meets an unreadable block completes; a block that could not be rebuilt returns an error, now and after later assemblies.
# subject: sync
. "$(dirname "$0")/../tools/par.sh"

MIB=8
BLOCK=5		# of 4 KiB, of each chunk in the stripe

# begin LAYOUT SIZE: create an array with data on disks of SIZE, without member 1, and with a stripe in which as many
# blocks of other members are unreadable as there are parities.
begin() {
	local i places
	note "$1"
	PARITIES=$(parities "$1")
	mark_log
	on_spindles "$1" "$2"
	WIDTH=$((${#DEVS[@]} - PARITIES))
	FIRST=$((20 / WIDTH * WIDTH))
	put 1M 0 $MIB
	stop_par
	HOLDER=()
	for ((i = 0; i < WIDTH; i++)); do
		mapfile -t places < <(dissect --where $((FIRST + i)))
		HOLDER+=("${places[0]% *}")
		SECTOR=${places[0]#* }
	done
	assemble_par
	settle
	take_out 1
	dd if=/dev/urandom of="${DEVS[1]}" bs=1M seek=1 count=31 oflag=direct status=none
	mdadm --zero-superblock "${DEVS[1]}"
	stop_par
	start_without 1
	settle
	BAD=()
	listen
	for ((i = 2; i < 2 + PARITIES; i++)); do
		BAD+=("$i")
		echo "read $((SECTOR + BLOCK * 8)) 8" >"$SPINDLES/${DISKS[i]}/errors"
	done
	put_in 1
	BAD+=(1)
	assert_eq "$(par lost_copies)" 4096 "bytes of copies that are lost"
	heard "lost KIND=copy MEMBER=1 SET=${#DEVS[@]} SECTOR=[0-9]+ SECTORS=8\$"
	logged 'member 1 has no valid copy of sectors [0-9]+ to [0-9]+ of the set of [0-9]+ members any more'
}

model() { dd if="$MODEL" bs=4k skip="$1" count="$2" status=none; }
array() { dd if="/dev/$MD" bs=4k skip="$1" count="$2" iflag=direct status=none; }

# only_that WHAT: only blocks of members that could not be read or rebuilt return errors.
only_that() {
	local i at=0 b
	note "$1"
	all_up "$1"
	for ((i = 0; i < WIDTH; i++)); do
		b=$(((FIRST + i) * 16 + BLOCK))
		cmp <(model "$at" $((b - at))) <(array "$at" $((b - at))) || fail "$1: blocks $at to $b"
		if [[ " ${BAD[*]} " == *" ${HOLDER[i]} "* ]]; then
			refused array "$b" 1
		else
			cmp <(model "$b" 1) <(array "$b" 1) || fail "$1: block $b"
		fi
		at=$((b + 1))
	done
	cmp <(model "$at" $((MIB * 256 - at))) <(array "$at" $((MIB * 256 - at))) || fail "$1: from $at on"
	all_up "$1"
}

# One array has many zones, because the list of lost blocks is checked when it is loaded.
for array in "3,5 2G" "raid6:4,6 32M"; do
	# shellcheck disable=SC2086	# layout and size
	begin $array
	only_that "rebuilt"
	stop_par
	dissect
	assemble_par
	only_that "assembled again"
	crash 7
	settle
	only_that "after a power cut"
	for i in "${BAD[@]}"; do echo clear >"$SPINDLES/${DISKS[i]}/errors"; done
	note "the disk can read it again"
	reassemble_par
	cmp <(model 0 $((MIB * 256))) <(array 0 $((MIB * 256))) || fail "content computed from the other members"
	no_mismatch
	assert_eq "$(par lost_copies)" 0 "bytes of copies that are lost, when all could be read"
	end_dissected
done
