#!/bin/bash
# Time that requests spend waiting for flushes makes the policy shift up, even at a load close to zero.
# machine: --debug --time-travel
# needs: raid-tracer
. "$(dirname "$0")/../tools/policy.sh"

# Five times a second: a write to a random place and soon after it a flush. The write, to the disks' caches, takes a
# millisecond; the flush takes 40 ms.
transactions() {
	awk -v sectors="$(blockdev --getsz "/dev/$MD")" 'BEGIN {
		srand(1)
		for (i = 0; i < 200; i++) {
			printf "%.0f w %d 1048576\n", i * 2e8, int(rand() * (sectors / 2048 - 1)) * 2048
			printf "%.0f f 0 0\n", i * 2e8 + 5e6
		}
	}' >"$MACHINE_TMP/requests"
	send "$MACHINE_TMP/requests"
}

policy_array 3,5
quick
set_par up_threshold 100
set_par up_wait 10
listen
set_par policy auto
gear_is 3 200
wait_asleep
transactions &
LOAD=$!
heard 'decision DECISION=up REASON=wait GEAR=5' 30
gear_is 5 60
wait "$LOAD"
stop_par
