#!/bin/bash
# The figures of Sierra and of cold storage, by the planner on simulated weeks; RAIDPAR_WHOLE=1: of 3,000 OSDs.
set -euo pipefail
. "$(dirname "$0")/lib.sh"

python simulator.py
