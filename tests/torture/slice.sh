#!/bin/bash
# After 70 power cuts, over all layouts, no flushed data is lost, and all copies agree.
# needs: 6.12-debug
# timeout: 900
# alone: yes
# torture.c distributes the required kinds of cuts in turns, not at random. More machines than CPUs: a machine waits
# for most of the time.
exec "$(dirname "$0")/run" --runs 70 --jobs $((2 * $(nproc))) --seed "${SEED:-1}" --mechanics some --logs some --need in_degraded \
	--need in_recovery --need in_waking --need in_silence --need in_super --need in_blocks --need forced --need spared \
	--need absent_starts --need in_log --need replayed
