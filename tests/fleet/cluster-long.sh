#!/bin/bash
# A real Ceph cluster: 5 minutes of doze without a request, drains of 100 MiB, the tail of an OSD's death, 100 kills.
# rare: yes
# timeout: 5400
# alone: yes
#
# KILLS=10: fewer kills. ONLY="drain tail": only these, of bed/long.py.
set -euo pipefail
. "$(dirname "$0")/lib.sh"

in_cluster 1 long.py KILLS="${KILLS:-100}" ONLY="${ONLY:-}"
