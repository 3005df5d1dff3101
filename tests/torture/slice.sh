#!/bin/bash
# Power cut 70 times, over all layouts: nothing flushed is lost, all copies agree.
# needs: 6.12-debug
# timeout: 900
# alone: yes
# What has to be among them, torture.c deals out in turns and leaves to no luck.
exec "$(dirname "$0")/run" --runs 70 --seed "${SEED:-1}" --mechanics some --need in_degraded \
	--need in_recovery --need in_waking --need in_silence --need in_super --need forced --need spared
