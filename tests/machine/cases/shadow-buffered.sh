#!/bin/bash
# Requests through the page cache, late, merged and from several processes, read back right whatever the gear does.
# subject: data
. "$(dirname "$0")/../tools/par.sh"

SEED=100
work() { SEED=$((SEED + 1)); exercise "$SEED" --buffered --writers 2; }

for layout in 3,5 raid6:4,8 raid0:2,5; do with_par "$layout" 24M work --chunk=64; done
