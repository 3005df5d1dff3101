#!/bin/bash
# poll(2) on gear and shift_state wakes when they change, and not otherwise.
# timeout: 60
set -euo pipefail
. "$(dirname "$0")/../tools/par.sh"

mkspindles 5 24M rate_kib=4096	# slow enough for what is between to be seen
create_par 3,5 --chunk=64
fill 8
cd /sys/block/md0/md/par

# watch COMMAND...: what the files said while it ran.
watch() {
	local fd pid line
	coproc "$TOOLS/poll.py" 2 gear shift_state
	pid=$COPROC_PID
	exec {fd}<&"${COPROC[0]}"
	read -r line <&"$fd"
	assert_eq "$line" ready "poll.py"
	"$@"
	SEEN=$(cat <&"$fd")
	exec {fd}<&-
	wait "$pid" || true
}

watch true
assert_eq "$SEEN" "" "woken though nothing changed"

watch shift_to 3
assert_match "$SEEN" 'shift_state down' "the shift's begin"
assert_match "$SEEN" 'gear 3' "the gear's change"
assert_match "$SEEN" 'shift_state idle' "the shift's end"

fill 4
watch shift_to 5
assert_match "$SEEN" 'gear 5' "the gear's change"
assert_match "$SEEN" 'shift_state propagate' "propagation"
stop_par
cd /
rmdisks
