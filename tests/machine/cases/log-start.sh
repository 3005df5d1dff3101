#!/bin/bash
# At assembly all members' parts of the log are read at the same time, each once.
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

mkspindles 5 1G preset=nearline
create_logged 3,5 256
fill_twin
shift_to 3
find_log
# The sleepers have started once: an assembly wakes them.
reassemble_par
stop_par
empty=$(took assemble_par)
# Requests that are logged, since they are smaller than those that go past.
dd if=/dev/urandom of="/dev/$MD" bs=256k count=$((MIB * 4)) oflag=direct status=none
[ "$(par log_live)" = $((MIB << 20)) ] || fail "live: $(par log_live) bytes"
dd if="/dev/$MD" of="$TWIN" bs=1M count=8 iflag=direct status=none
stop_par
full=$(took assemble_par)
[ "$(par log_replayed)" -ge $((MIB * 4)) ] || fail "replayed: $(par log_replayed)"
same "after the stop"
# With two copies on three members, each has two thirds.
once=$(took read_log $((MIB * 2 / 3)))
note "assembly: $full ms, $empty with an empty log; reading one member's part of the log in order: $once ms"
assert_le $((full - empty)) $((once * 5 / 4)) "ms that the log takes"
stop_par
