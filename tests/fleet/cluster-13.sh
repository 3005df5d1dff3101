#!/bin/bash
# As cluster.sh, with Debian 13's Ceph (18.2).
# rare: yes
# timeout: 600
# alone: yes
set -euo pipefail
. "$(dirname "$0")/lib.sh"

SUITE=trixie in_cluster 1 short.py
