#!/bin/bash
# Direct requests of any size and alignment, and discards, read back right whatever the gear does, and all parity is right.
# subject: data
. "$(dirname "$0")/../tools/par.sh"

SEED=0
work() { SEED=$((SEED + 1)); exercise "$SEED"; }

for layout in "${LAYOUTS[@]}"; do with_par "$layout" 24M work --chunk=64; done
