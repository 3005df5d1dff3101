#!/bin/bash
# Metadata with a right checksum and impossible values is replaced by another member's; found on all members, it is corrected, or the array is refused.
# subject: crash
. "$(dirname "$0")/../tools/par.sh"

spoil() { "$TOOLS/spoil.py" "$@"; }

begin() {
	note "$1"
	on_disks 3,5 64M
	fill 12
	shift_to 3
	fill 4 4
	stop_par
}

# used: the array shifts and propagates, and its content is right.
used() {
	shift_to 5
	fill 1 20
	shift_to 3
	shift_to 5
	end_dissected
}

# put_right KIND WHAT: metadata of this kind is corrected that is wrong on all members.
put_right() {
	begin "all members: $1"
	spoil "$1" "${DEVS[@]}"
	mark_log
	assemble_par
	shift_to 5	# which propagates
	take_out 4
	put_in 4
	logged "the metadata has an impossible value \\($2\\), which is ignored"
	used
}

# elsewhere KIND: all blocks of that kind of one member are wrong, and treated like torn ones.
elsewhere() {
	begin "one member: $1"
	spoil "$1" "${DEVS[1]}" --every "${DEVS[@]}"
	mark_log
	assemble_par
	logged 'member 1 \(nullb1\): [0-9]+ metadata blocks are damaged or old'
	used
}

# everywhere KIND BLOCK: a block is wrong on all members: no older version is used in its place.
everywhere() {
	begin "all members: $1"
	spoil "$1" "${DEVS[@]}"
	mark_log
	refused mdadm --assemble "/dev/$MD" "${DEVS[@]}"
	assert_match "$REFUSAL" 'needs cleaning' "mdadm's message"
	logged "the newest version of $2 block [0-9]+ is valid on no member"
	mdadm --assemble --quiet --update=par-rescue "/dev/$MD" "${DEVS[@]}"
	end_par
}

put_right speeds 'propagation speeds'
put_right events 'event count of a set'
for kind in gear half; do elsewhere "$kind"; done
everywhere gear intent
everywhere half map
