#!/bin/bash
# A real Ceph cluster shifts under verified load; sleepers get no request; 6 processes are killed; all is given back.
# timeout: 420
# alone: yes
#
# The disks are files behind a library that counts requests and sleeps (bed/diskshim.c).
set -euo pipefail
. "$(dirname "$0")/lib.sh"

in_cluster 1 short.py
