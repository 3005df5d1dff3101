#!/bin/bash
# In an array with images of a share, lost metadata costs no data that the present members have at home, neither at the start nor in the cuts and shifts after it.
# subject: slots
# machine: --debug --mem 2G
# timeout: 400
set -euo pipefail
. "$(dirname "$0")/../tools/par.sh"

TWIN=$MACHINE_TMP/twin

# Failures are collected, so that each is reported.
WRONG=()

# twin_fill MIB AT: random data, which TWIN has too.
twin_fill() {
	dd if=/dev/urandom of="$TWIN" bs=1M count="$1" seek="$2" conv=notrunc status=none
	dd if="$TWIN" of="/dev/$MD" bs=1M count="$1" seek="$2" skip="$2" oflag=direct conv=fsync,notrunc status=none
}

# same MIB AT WHAT: the array has there what TWIN has.
same() {
	cmp <(dd if="/dev/$MD" bs=1M count="$1" skip="$2" iflag=direct status=none) \
		<(dd if="$TWIN" bs=1M count="$1" skip="$2" status=none) || WRONG+=("$3")
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
	create_shared 25 3,5 --chunk=64
	: >"$TWIN"
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
}

# Slots that a rescue frees get other runs, and none of these may have images in them by the stored map.
freed() {
	local free i
	begin "slots that a rescue has freed"
	twin_fill 60 0
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

freed
[ ${#WRONG[@]} = 0 ] || fail "$(printf '%s; ' "${WRONG[@]}")"
