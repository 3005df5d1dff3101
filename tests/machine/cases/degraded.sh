#!/bin/bash
# An array with as many failed members as parities shifts to the top gear, from any gear, and has all its data.
# subject: member
# stock: yes
# RAIDPAR_WHOLE=1: more members.
. "$(dirname "$0")/../tools/par.sh"

fail_member() {
	mdadm --quiet "/dev/$MD" --fail "/dev/${DISKS[$1]}"
}

# lose GEAR MEMBER...: fail the members in GEAR, after data was written in that gear.
lose() {
	local gear=$1 sum d
	shift
	note "$LAYOUT: members $* fail in gear $gear"
	fill 3
	shift_to "$gear"
	fill 3 2
	sum=$(fingerprint)
	for d in "$@"; do fail_member "$d"; done
	settle
	assert_eq "$(par gear)" "$(top_gear "$LAYOUT")" "gear of the degraded array"
	assert_eq "$(fingerprint)" "$sum" "content of the degraded array"
	refused bash -c "echo $(low_gear "$LAYOUT") >/sys/block/$MD/md/par/gear"
	fill 2 1
	sum=$(fingerprint)
	stop_par
	mdadm --assemble --quiet --run "/dev/$MD" "${DEVS[@]}"
	assert_eq "$(fingerprint)" "$sum" "content of the degraded array, assembled"
	assert_match "$(</proc/mdstat)" '\[[U]*_' "mdstat"
}

# Each combination uses a new array.
try() {
	local layout=$1 size=24M
	shift
	on_disks "$layout" $size
	lose "$@"
	end_par
}

try 3,5 5 4
try 3,5 3 0
try 3,5,8 5 6
try 3,5,8 3 4
try raid6:4,8 8 1 6
try raid6:4,8 4 5 7
if [ -n "${RAIDPAR_WHOLE:-}" ]; then
	try 3,5 5 1
	try 3,5 3 3
	try 3,5,8 5 2
	try raid6:4,8 4 0 3
fi
