#!/bin/bash
# A real Ceph cluster on two hosts: clocks apart, garbage, a hanging agent, a partition, unaligned writes; no wrong byte.
# rare: yes
# timeout: 1800
# alone: yes
#
# ONLY="typed partition": only these, of bed/faults.py.
set -euo pipefail
. "$(dirname "$0")/lib.sh"

command -v ip >/dev/null || { echo "SKIP: there is no ip(8) to connect two hosts with"; exit 77; }
in_cluster 2 faults.py ONLY="${ONLY:-}"
