#!/bin/bash
# Who waits for flushes waits: the policy shifts up for it, at a load that is none.
# machine: --debug --time-travel --mem 512M
set -euo pipefail
. "$(dirname "$0")/../tools/policy.sh"

# Small writes anywhere, each of them flushed, ten a second.
transactions() {
	awk -v sectors="$(blockdev --getsz "/dev/$MD")" 'BEGIN {
		srand(1)
		for (i = 0; i < 400; i++) {
			printf "%d w %d 4096\n", i * 1e8, int(rand() * (sectors / 8 - 8)) * 8
			printf "%d f 0 0\n", i * 1e8 + 1000
		}
	}' >"$MACHINE_TMP/requests"
	"$REPLAY" "/dev/$MD" -l "$MACHINE_TMP/requests" >"$MACHINE_TMP/load"
}

policy_array 3,5
quick
set_par up_threshold 100
set_par up_wait 15
listen
set_par policy auto
gear_is 3 200
wait_asleep
transactions &
LOAD=$!
heard 'decision DECISION=up REASON=wait GEAR=5' 30
gear_is 5 60
wait "$LOAD"
assert_match "$(cat "$MACHINE_TMP/load")" ' errors 0 ' "requests"
stop_par
