#!/bin/bash
# Writes of 512 bytes that are in the log can be read, and are drained, on members with sectors of 4096 bytes.
# subject: log
# timeout: 300
set -euo pipefail
. "$(dirname "$0")/../tools/par.sh"
. "$(dirname "$0")/../tools/log.sh"

PAR=/sys/block/$MD/md/par

mkcoarse() { mkspindles "$1" 64M blocksize=4096; }

# take_place NUMBER OTHER: disk OTHER of DISKS has that number from now on, and the other way round.
take_place() {
	local disk=${DISKS[$1]} dev=${DEVS[$1]}
	DISKS[$1]=${DISKS[$2]} DEVS[$1]=${DEVS[$2]} DISKS[$2]=$disk DEVS[$2]=$dev
}

# Nothing is unreadable or lost, in the log and after the drain.
same_and_drained() {
	[ "$(par log_live)" -gt 0 ] || fail "$LAYOUT: nothing is in the log"
	same "$1, in the log"
	shift_to "$(top_gear "$LAYOUT")"
	wait_for "$PAR/log_used" 0 60
	assert_eq "$(par log_read_errors) $(par log_lost)" "0 0" "$LAYOUT: $1: read errors, lost bytes"
	same "$1, at home"
}

# Two members that never sleep are replaced by disks with large sectors.
replaced() {
	local d
	mkcoarse 2
	for d in 0 1; do
		take_out "$d"
		manage --add "${DEVS[d + $1]}"
		take_place "$d" $((d + $1))
		wait_whole
	done
	assert_eq "$(blockdev --getss "/dev/$MD")" 512 "logical sectors of the array"
	shift_to "$(low_gear "$LAYOUT")"
	write_some 2 100
	same_and_drained "members 0 and 1 are replaced"
}

# All disks are moved to an enclosure that shows large sectors.
moved() {
	local name count=$1
	shift_to "$(low_gear "$LAYOUT")"
	write_some 3 200
	stop_par
	for name in "${DISKS[@]:0:count}"; do
		echo 0 >"$SPINDLES/$name/online"
		echo 4096 >"$SPINDLES/$name/blocksize"
		echo 1 >"$SPINDLES/$name/online"
	done
	mdadm --assemble --quiet "/dev/$MD" "${DEVS[@]:0:count}"
	assert_eq "$(blockdev --getss "/dev/$MD")" 4096 "logical sectors of the array"
	write_blocks 100 15
	same_and_drained "all members are moved"
	stop_par
}

for LAYOUT in 3,5 raid6:4,6 raid0:2,4; do
	note "$LAYOUT"
	count=$(top_gear "$LAYOUT")
	mkspindles "$count" 64M
	create_logged "$LAYOUT" 16 --chunk=64
	fill_twin
	[[ $LAYOUT != 3,5 ]] || replaced "$count"
	moved "$count"
	rmdisks
done

note "a data offset that is no multiple of the sectors"
mkspindles 4 64M
create_par 2,4 --chunk=64 --data-offset=1025K
take_out 3
mkcoarse 1
mark_log
mdadm --quiet "/dev/$MD" --add "${DEVS[4]}" || true
for ((i = 0; i < 50; i++)); do
	[[ ! $(log_since) =~ 'has sectors of 4096 bytes' ]] || break
	nap 0.1
done
logged "${DISKS[4]} has sectors of 4096 bytes: these must not be larger than 4096, and its data offset of 2050 "
assert_eq "$(<"/sys/block/$MD/md/degraded")" 1 "degraded"
stop_par
