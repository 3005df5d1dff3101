#!/bin/bash
# An array starts without reading all of its log, after a stop and after a cut, and has all that was in it.
# subject: log
# machine: --time-travel --mem 2G
# timeout: 300
set -euo pipefail
. "$(dirname "$0")/../tools/par.sh"
. "$(dirname "$0")/../tools/log.sh"

MIB=160 # of data in the log, less than what begins a drain

# took COMMAND...: ms
took() {
	local from
	from=$(date +%s%3N)
	"$@" >&2
	echo $(($(date +%s%3N) - from))
}

# read_log MIB: so much of a member's part, in order
read_log() {
	log_range 0 $(($1 * 256))
	dd if="${DEVS[0]}" of=/dev/null bs=512k skip=$((FIRST / 1024)) count=$(($1 * 2)) iflag=direct status=none
}

spin_up() { local dev; for dev in "${DEVS[@]}"; do dd if="$dev" of=/dev/null bs=4k count=1 iflag=direct status=none; done; }

# content: a checksum of what was logged
content() { dd if="/dev/$MD" bs=1M count=$MIB iflag=direct status=none | md5sum; }

# has_all WHAT: all of what was logged is there
has_all() {
	[ "$(par log_replayed)" -ge $((MIB * 4)) ] || fail "$1: replayed: $(par log_replayed)"
	[ "$(par log_live)" = $((MIB << 20)) ] || fail "$1: live: $(par log_live) bytes"
	assert_eq "$(content)" "$WRITTEN" "$1: content"
}

# start_took WHAT MS PERCENT: so much longer than with an empty log, at most so much of what a member takes to be read
start_took() {
	note "$1: $2 ms more than with an empty log; reading one member's part of the log in order: $ONCE ms"
	assert_le "$2" $((ONCE * $3 / 100)) "$1: ms that the log takes"
}

mkspindles 5 1G preset=nearline
create_logged 3,5 256
fill_twin
shift_to 3
find_log
reassemble_par
stop_par
empty=$(took assemble_par)
# Requests that are logged, since they are smaller than those that go past.
dd if=/dev/urandom of="/dev/$MD" bs=256k count=$((MIB * 4)) oflag=direct status=none
WRITTEN=$(content)
stop_par
# With two copies on three members, each has two thirds.
ONCE=$(took read_log $((MIB * 2 / 3)))
stopped=$(($(took assemble_par) - empty))
has_all "after a stop"
start_took "after a stop" "$stopped" 60
write_blocks 5
WRITTEN=$(content)
sync -d "/dev/$MD"
power_cut 1
spin_up
start=$(($(took assemble_par) - empty))
has_all "after a cut"
start_took "after a cut" "$start" 60
stop_par
# The summaries at the beginning of the units 61 and 183 of the ring: one copy of each, then both of the first one.
wipe_log 0 $((41 * 128)) 17
wipe_log 0 $((122 * 128)) 17
start=$(($(took assemble_par) - empty))
has_all "with one copy of some summaries"
start_took "with one copy of some summaries" "$start" 60
stop_par
wipe_log 2 $((40 * 128)) 17
start=$(($(took assemble_par) - empty))
has_all "without a summary"
start_took "without a summary" "$start" 90
stop_par
