#!/bin/bash
# In an array with images of a share, lost or doubtful metadata costs no data that the present members have at home, neither at the start nor in the cuts and shifts after it.
# timeout: 400
# plain: yes
. "$(dirname "$0")/../tools/par.sh"

CHUNK=64	# KiB

# Failures are collected, so that each is reported.
WRONG=()

# same MIB AT WHAT: the array has there what it should have.
same() { same_as_model "$1" "$2" || WRONG+=("$3"); }

# same_chunks MIB AT WHAT: the chunks on members that never sleep have what the file has.
same_chunks() {
	local chunk end=$((($1 + $2) * 1024 / CHUNK)) differing=0
	for ((chunk = $2 * 1024 / CHUNK; chunk < end; chunk++)); do
		# Member, by md's left-symmetric layout.
		[ $(((5 - chunk / 4 % 5 + chunk % 4) % 5)) -lt 3 ] || continue
		cmp -s <(dd if="/dev/$MD" bs="${CHUNK}k" count=1 skip="$chunk" iflag=direct status=none) \
			<(dd if="$MODEL" bs="${CHUNK}k" count=1 skip="$chunk" status=none) || differing=$((differing + 1))
	done
	[ "$differing" = 0 ] || WRONG+=("$3: $differing chunks")
}

# synced: the resync after a crash has ended, if there is one.
synced() {
	wait_whole
	wait_for "/sys/block/$MD/md/par/resync" none 120
}

read_mib() { dd if="/dev/$MD" of=/dev/null bs=1M count="$1" skip="$2" iflag=direct status=none; }

begin() {
	note "$1"
	mkspindles 5 128M seed=5
	create_shared 25 3,5 --chunk="$CHUNK"
	: >"$MODEL"
}

end() {
	wait_whole
	shift_to 5
	synced
	no_mismatch
	stop_par
	dissect >/dev/null || WRONG+=("$1: dissect")
	rmdisks
}

# lose_slots: no version of the slot map is left.
lose_slots() {
	"$TOOLS/spoil.py" torn --blocks slot "${DEVS[@]}"
	"$TOOLS/spoil.py" torn --blocks slot "${DEVS[@]}"
}

# rescued: a start is refused, and a rescue starts the array.
rescued() {
	mark_log
	refused mdadm --assemble --quiet "/dev/$MD" "${DEVS[@]}"
	logged 'the newest version of slot map block [0-9]+ is valid on no member'
	mdadm --assemble --quiet --update=par-rescue "/dev/$MD" "${DEVS[@]}"
	logged 'slots of unknown runs count as free'
}

# Slots that a rescue frees get other runs, and none of these may have images in them by the stored map.
freed() {
	local free i
	begin "slots that a rescue has freed"
	put 1M 0 60
	reassemble_par	# no run is hot
	read_mib 8 0
	read_mib 8 52
	shift_to 3
	shift_to 5
	stop_par
	lose_slots
	rescued
	logged 'segments of the set of 5 members have images, but they have no slots'
	read_mib 8 52	# only these runs are hot, and get the slots of others
	echo 64 >"/sys/block/$MD/md/par/speed_min"
	echo 64 >"/sys/block/$MD/md/par/speed_max"
	free=$(par slots_free)
	echo 3 >"/sys/block/$MD/md/par/gear"
	for ((i = 0; i < 600; i++)); do
		[ "$(par slots_free)" = "$free" ] || break
		nap 0.1
	done
	[ "$i" -lt 600 ] || fail "no slots are given: $(par shift_state), last error $(par shift_last_error)"
	nap 1
	power_cut 6
	mark_log
	assemble_par
	[[ ! $(log_since) =~ 'but they have no slots' ]] || WRONG+=("after the first use, the stored map has images without slots")
	synced
	echo 1000000 >"/sys/block/$MD/md/par/speed_max"
	shift_to 3
	watch_sleepers
	same 8 52 "in the low gear, runs have the content of others"
	assert_asleep "runs with slots"
	same 60 0 "data is lost that the rescue had kept"
	end "freed slots"
}

# Rows that were started while members slept: their run had a slot, which is not known any more.
started() {
	begin "rows that were started in slots that are lost"
	put 1M 0 8
	shift_to 3
	watch_sleepers
	put 1M 16 1
	assert_asleep "rows that are started asleep"
	power_cut 7
	lose_slots
	rescued
	same 8 0 "data from before the shift"
	same_chunks 1 16 "rows that were started while members slept, on members that never sleep"
	wait_whole
	same_chunks 1 16 "rows that were started while members slept, after the resync"
	put 1M 16 1
	same 1 16 "rows that were started while members slept, written again"
	end "lost slots"
}

# A row is started in the top gear, and its run has no slot; the version of the map that knows this cannot be read. Then
# another run of the same zone is written in the low gear.
doubtful() {
	local d
	begin "a doubtful map block of a zone with an intent"
	put 1M 0 8
	shift_to 3
	shift_to 5
	reassemble_par
	echo 1048576 >"/sys/block/$MD/md/par/fill_size"	# less than a run
	put 1M 40 4
	shift_to 3
	watch_sleepers
	put 1M 2 1
	assert_asleep "a run with a slot"
	power_cut 8
	for d in 0 1 2 3 4; do
		for sector in $("$TOOLS/spoil.py" sectors --blocks map "${DEVS[d]}"); do
			echo "read $sector 8" >"$SPINDLES/${DISKS[d]}/errors"
		done
	done
	mark_log
	refused mdadm --assemble --quiet "/dev/$MD" "${DEVS[@]}"
	logged 'version [0-9]+ of map block [0-9]+ may not be the newest'
	mdadm --assemble --quiet --force "/dev/$MD" "${DEVS[@]}"
	same 8 0 "data that the version found knows"
	same 4 40 "rows that were started in the top gear, of a run without a slot"
	end "a doubtful map block"
}

[ $# -gt 0 ] || set -- freed started doubtful
for part; do "$part"; done
[ ${#WRONG[@]} = 0 ] || fail "$(printf '%s; ' "${WRONG[@]}")"
