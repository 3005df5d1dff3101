#!/bin/bash
# An array reads its metadata at the start from all members at the same time, in large pieces, if all of it has been written, too.
# subject: life
# machine: --debug --time-travel
# timeout: 300
set -euo pipefail
. "$(dirname "$0")/../tools/par.sh"

# starts MS WHAT: assemble the array, after the disks have not been used for a while.
starts() {
	local from
	nap 60
	from=$(date +%s%3N)
	assemble_par
	TOOK=$(($(date +%s%3N) - from))
	note "$2: $TOOK ms"
	assert_le "$TOOK" "$1" "ms to start an array that is $2"
}

IMAGES=	# mdadm's default: images of a share, so that all slot maps are read
mkspindles 5 400G preset=nearline
create_par 3,5
stop_par
starts 600 empty
stop_par
"$TOOLS/fill_map.py" --one "${DEVS[@]}"
starts 600 full
[ "$(par rows_written)" -gt 5000000 ] || fail "$(par rows_written) rows are written"
stop_par
rmdisks
