#!/bin/bash
# After a power cut between the two steps of --re-add, the member looks current to md; it is detected, and rebuilt.
# plain: yes
. "$(dirname "$0")/../tools/par.sh"

START=assembly
MORE=0
MIB=24	# the part of the array that is written

# The first step of --re-add sets the event count in the disk's md superblock to the array's. The second step adds the disk.
raise_events() {
	python3 - "$TOOLS" "$@" <<-'END'
		import struct, sys
		sys.path.insert(0, sys.argv[1])
		import refuse
		to, of, more = sys.argv[2:]
		events, = struct.unpack_from("<Q", refuse.super_of(of), refuse.FIELDS["events"][0])
		refuse.super_of(to, refuse.edit(refuse.super_of(to), [f"events={events + int(more)}"], True))
	END
}

events_of() { mdadm --examine "$1" | sed -n 's/^ *Events : //p'; }

start_assembly() { assemble_par; }

start_incremental() {
	local dev
	for dev in "${DEVS[@]}"; do
		mdadm --incremental --quiet "$dev"
	done
	[ "$(<"/sys/block/$MD/md/array_state")" != inactive ] || mdadm --run --quiet "/dev/$MD"
}

# goes_down HOW MEMBER GEAR: the array goes down after the first step for a member that left in this gear; all data has
# been rewritten since.
goes_down() {
	local how=$1 d=$2 gear=$3
	note "$how, member $d, which left in gear $gear"
	on_spindles 3,5 64M
	fill $MIB
	shift_to "$gear"
	take_out "$d"
	settle
	fill $MIB
	SUM=$(fingerprint $MIB)
	stop_par	# no intent is left: nothing is in doubt
	mdadm --assemble --quiet --run "/dev/$MD" "${DEVS[@]:0:d}" "${DEVS[@]:d+1}"
	raise_events "${DEVS[d]}" "${DEVS[(d + 1) % 5]}" "$MORE"
	[ "$how" != cut ] || echo 5 >"$SPINDLES/cut"
	stop_par
	[ "$how" != cut ] || echo all >"$SPINDLES/restore"
	assert_eq "$(events_of "${DEVS[d]}")" $(($(events_of "${DEVS[(d + 1) % 5]}") + MORE)) "event counts"

	mark_log
	start_"$START"
	assert_match "$(log_since)" "member $d .* has missed writes and has to be rebuilt" "kernel log"
	assert_eq "$(fingerprint $MIB)" "$SUM" "content with the member that came back"
	mdadm --readwrite "/dev/$MD" 2>/dev/null || true
	wait_whole
	settle
	shift_to 3
	assert_eq "$(fingerprint $MIB)" "$SUM" "content in the low gear"
	end_dissected
}

goes_down cut 1 5
goes_down cut 4 3
goes_down killed 4 5
# The device that is named first looks most recent, and the others report it as failed.
goes_down cut 0 5
START=incremental goes_down killed 0 5
# As if the kernel's next update had reached this device only.
MORE=1 goes_down cut 0 5
MORE=1 START=incremental goes_down cut 3 5
