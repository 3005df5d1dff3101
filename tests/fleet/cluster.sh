#!/bin/bash
# A real Ceph cluster shifts under verified load; sleepers get no request; an OSD is killed; all is given back.
# rare: yes
# timeout: 600
# alone: yes
#
# The disks are files behind a library that counts requests and sleeps (bed/diskshim.c). DOZE=300: seconds in gear 1;
# SUITE=trixie: Debian 13's Ceph.
set -euo pipefail
. "$(dirname "$0")/lib.sh"

[ "$(id -u)" = 0 ] || { echo "SKIP: needs root"; exit 77; }
BED=$TOP/tests/fleet/bed
DIR=$(mktemp -d)
trap '"$BED/cluster" "$DIR" stop; sleep 1; rm -rf --one-file-system "$DIR"' EXIT

ROOT=$("$BED/root" "${SUITE:-bookworm}")
"$BED/cluster" "$DIR" start "$ROOT"
# The overlay is mounted in the cluster's namespace only.
tar -C "$TOP/tools" -c parfleet | "$BED/cluster" "$DIR" in tar -C /lab -x
tar -C "$TOP/tests/fleet" -c bed | "$BED/cluster" "$DIR" in tar -C /lab -x
"$BED/cluster" "$DIR" in tee /lab/bed/parfleet.md <"$TOP/Documentation/parfleet.md" >/dev/null
"$BED/cluster" "$DIR" in DOZE="${DOZE:-60}" python3 -B /lab/bed/scenario.py
