#!/bin/bash
# An assembly reads the summaries of the log's units and the newest units; without summaries it reads all members' parts of the log at the same time, each once.
# machine: --time-travel
. "$(dirname "$0")/../tools/log.sh"

MIB=160 # of data in the log, less than what begins a drain

# took COMMAND...: ms
took() { ms_of "$@" >&2; echo "$MS"; }

# read_log MIB: so much of a member's part, in order
read_log() {
	log_range 0 $(($1 * 256))
	dd if="${DEVS[0]}" of=/dev/null bs=512k skip=$((FIRST / 1024)) count=$(($1 * 2)) iflag=direct status=none
}

# wipe_summaries FIRST COUNT: of these units, on all members
wipe_summaries() { local d; for d in 0 1 2; do wipe_log "$d" $((SUMS + $1)) "$2"; done; }

# starts WHAT MOST LEAST: the assembly takes so many ms more than with an empty log at most, and reads the summaries of so many
# units at least.
starts() {
	local full units
	mark_log
	full=$(($(took assemble_par) - EMPTY))
	units=$(summarized)
	[ "$(par log_replayed)" -ge $((MIB * 4)) ] || fail "$1: replayed: $(par log_replayed)"
	note "$1: $full ms, $units units"
	assert_le "$full" "$2" "$1: ms that the log takes"
	assert_le "$3" "$units" "$1: units that are found by their summaries"
	same "$1"
}

mkspindles 5 1G preset=nearline
create_logged 3,5 256
fill_twin
shift_to 3
find_summaries
# The sleepers have started once: an assembly wakes them.
reassemble_par
stop_par
EMPTY=$(took assemble_par)
# Requests that are logged, since they are smaller than those that go past.
dd if=/dev/urandom of="/dev/$MD" bs=256k count=$((MIB * 4)) oflag=direct status=none
[ "$(par log_live)" = $((MIB << 20)) ] || fail "live: $(par log_live) bytes"
dd if="/dev/$MD" of="$TWIN" bs=1M count=8 iflag=direct status=none
# With two copies on three members, each has two thirds.
ONCE=$(took read_log $((MIB * 2 / 3)))
note "with an empty log: $EMPTY ms; reading one member's part of the log in order: $ONCE ms"
power_cut 1
for name in "${DISKS[@]}"; do wait_for "$SPINDLES/$name/state" idle 60; done
starts "after a cut" $((ONCE / 6)) 200
stop_par
starts "after a stop" $((ONCE / 6)) 200
stop_par
# The last unit of those whose summaries are read at a time.
wipe_summaries 127 1
starts "without one of them" $((ONCE / 6)) 300
stop_par
wipe_summaries 0 "$UNITS"
starts "without summaries" $((ONCE * 4 / 3)) 0
stop_par
