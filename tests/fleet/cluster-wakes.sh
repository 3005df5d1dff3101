#!/bin/bash
# A real Ceph cluster in gear 1: which requests of librados and RBD wake a sleeper is counted; aligned ones wake none.
# rare: yes
# timeout: 600
# alone: yes
set -euo pipefail
. "$(dirname "$0")/lib.sh"

in_cluster 1 wakes.py
