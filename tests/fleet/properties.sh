#!/bin/bash
# Random events, commands and crashes never let parfleet take a replica too many; RAIDPAR_WHOLE=1: 2,000 runs.
# timeout: 300
set -euo pipefail
. "$(dirname "$0")/lib.sh"

python properties.py
