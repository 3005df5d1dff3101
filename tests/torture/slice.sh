#!/bin/bash
# After 90 power cuts, over all layouts, no flushed data is lost, and all copies agree.
# needs: 6.12-debug
# timeout: 1800
# torture.c distributes the required kinds of cuts in turns, not at random.
set -e
cd "$(dirname "$0")"
jobs=$(nproc)
./run --runs 70 --jobs "$jobs" --seed "${SEED:-1}" --mechanics some --logs some --need in_degraded --need in_recovery \
	--need in_waking --need in_silence --need in_super --need forced --need spared --need absent_starts --need in_log \
	--need replayed
# Cuts while blocks of metadata are stored depend on how many of them a shift stores: one of five attempts fails. 70 cuts
# of all kinds have a few attempts only.
./run --runs 10 --jobs "$jobs" --seed "${SEED:-1}" --layout 3,5 --workload raw --need in_blocks -- --aim checkpoint
# Rebuilds beside which nothing is written: few cuts of all kinds have an array for that.
./run --runs 10 --jobs "$jobs" --seed "${SEED:-1}" --layout 3,5 --workload raw --need in_quiet_rebuild -- --aim quiet-rebuild
