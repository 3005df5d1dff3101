#!/bin/bash
# parfleet's core: the hash of Ceph, groups, load, prediction, gears, budgets, on dumps of two releases.
set -euo pipefail
. "$(dirname "$0")/lib.sh"

python core.py
