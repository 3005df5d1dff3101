#!/bin/bash
# A real Ceph cluster shifts under RGW, CephFS, and ext4 on RBD; no wrong byte, and what wakes sleepers is counted.
# rare: yes
# timeout: 1200
# alone: yes
#
# ONLY="files image gateway": only these, of bed/services.py.
set -euo pipefail
. "$(dirname "$0")/lib.sh"

in_cluster 1 services.py ONLY="${ONLY:-}"
