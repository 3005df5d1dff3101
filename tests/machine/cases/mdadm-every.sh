#!/bin/bash
# After every command of every mdadm, patched or not, on an array in each gear, it starts with all its data: a table.
# needs: mdadm-4.2-unpatched? mdadm-4.4? mdadm-4.4-unpatched? mdadm-4.6? mdadm-4.6-unpatched?
# rare: yes
# plain: yes
# machine: --debug --mem 2G
# timeout: 7200
#
# RAIDPAR_EVERY is a pattern that commands have to match.
set -euo pipefail
. "$(dirname "$0")/../tools/every.sh"

every_begin
for mdadm in mdadm-4.4-unpatched mdadm-4.2-unpatched mdadm-4.6-unpatched mdadm-4.4 mdadm-4.6; do
	for gear in 3 5; do every "$RAIDPAR_TOP/build/$mdadm/mdadm" "$gear" "${RAIDPAR_EVERY:-}"; done
done
every_end
