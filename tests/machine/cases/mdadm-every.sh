#!/bin/bash
# After every command of every mdadm, patched or not, in each gear, the array starts with all its data; the results are a table.
# needs: mdadm-4.2-unpatched? mdadm-4.4? mdadm-4.4-unpatched? mdadm-4.6? mdadm-4.6-unpatched?
# rare: yes
# plain: yes
# timeout: 7200
# RAIDPAR_EVERY is a pattern that commands have to match, and RAIDPAR_MDADM one for mdadms.
. "$(dirname "$0")/../tools/every.sh"

every_begin
for mdadm in 4.4-unpatched 4.2-unpatched 4.6-unpatched 4.4 4.6; do
	[[ $mdadm =~ ${RAIDPAR_MDADM:-} ]] || continue
	for gear in 3 5; do every "$mdadm" "$gear" "${RAIDPAR_EVERY:-}"; done
done
every_end
