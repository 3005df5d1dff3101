#!/bin/bash
# A real Ceph cluster shifts under verified load; sleepers get no request; 6 processes are killed; all is given back.
# timeout: 420
#
# The disks are files behind a library that counts requests and sleeps (bed/diskshim.c).
set -euo pipefail
. "$(dirname "$0")/lib.sh"

# Ceph's daemons need little, but must beat in time: they go before the tests that run beside them.
renice -n -10 -p $$ >/dev/null 2>&1 || true
in_cluster 1 short.py
