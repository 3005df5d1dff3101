#!/bin/bash
# A virtual day of 100,000 requests to an array of 5 simulated disks is over in a minute.
# rare: yes
# alone: yes
#
#   tests/replay/day.sh [RAID5|LAYOUT [OPTION...]]    options for tests/machine/run
#
# An array of 5 nearline disks, md raid5 or par of that layout (default: raid5).
set -euo pipefail
TOP=$(cd "$(dirname "$0")/../.." && pwd)

REQUESTS=100000
BAR=60		# seconds

inside() {
	. "$TOP/tests/machine/lib.sh"
	local replay=${TMPDIR:-/tmp}/replay i name value total=0
	gcc -O2 -o "$replay" "$TOP/tests/replay/replay.c"
	# 1 GiB of each: so long that the arm has a way to go, and no longer than memory is.
	mkspindles 5 1G preset=nearline
	if [ "$1" = raid5 ]; then
		mdadm --create /dev/md0 --quiet --run --level=5 --raid-devices=5 --assume-clean \
			--bitmap=none "${DEVS[@]}"
	else
		mdadm --create /dev/md0 --quiet --run --level=par --layout="$1" --raid-devices=5 "${DEVS[@]}"
	fi
	echo "begin" >"$RAIDPAR_OUT/begin"
	"$replay" /dev/md0 -n "$REQUESTS" -t 86400 -w 40
	echo "end" >"$RAIDPAR_OUT/end"
	for ((i = 0; i < 5; i++)); do
		while read -r name value; do
			case $name in
			energy_uj) echo "spin$i: $((value / 1000000)) J" ;;
			reads | writes) total=$((total + value)) ;;
			esac
		done <"$SPINDLES/spin$i/report"
	done
	echo "requests to the disks: $total"
	mdadm --stop --quiet /dev/md0
	rmdisks
}

main() {
	local array=${1:-raid5} took
	shift $(($# > 0))
	RAIDPAR_OUT=$(mktemp -d "${TMPDIR:-/tmp}/raid-par-day.XXXXXX")
	export RAIDPAR_OUT
	trap 'rm -rf "$RAIDPAR_OUT"' EXIT
	"$TOP/tests/machine/run" --time-travel --mem 7G "$@" -- "$TOP/tests/replay/day.sh" inside "$array"
	took=$(($(stat -c %Y "$RAIDPAR_OUT/end") - $(stat -c %Y "$RAIDPAR_OUT/begin")))
	echo "$array: $REQUESTS requests of a virtual day took $took s"
	[ "$took" -le "$BAR" ] || { echo "FAILED: more than $BAR s"; exit 1; }
}

if [ "${1:-}" = inside ]; then inside "$2"; else main "$@"; fi
