#!/bin/bash
# A day of a NAS with images of 10 % of the data takes exactly the energy, spin-ups and misses that it took before.
# needs: raid-tracer
#
# In user space, see week.sh: the module's slots, heat of runs, choice of what is filled, expected misses and policy, with
# a write log (sim-slots.h, sim-log.h). Time is virtual, so the figures are exact: a change of any of these files that
# changes a decision shows here. If the change is meant, compare all loads of Documentation/slots.md before the figures
# are replaced. All of the array's data is written, and has no image in the beginning.
set -euo pipefail
. "$(dirname "$0")/../../scripts/lib.sh"

WORK=$(mktemp -d)
trap 'rm -rf "$WORK"' EXIT
SPAN=9600000000000	# 30 % of what fits with images of all: other data has the rest

# figures SHARE: in a line: J, s in the low gear, starts of a disk, copied bytes; with slots also those that are used,
# requests that missed, and uses of slots in the low gear.
figures() {
	"$WORK/policy-replay" -q --log --image-share "$1" 3,5 <"$WORK/day" | awk '
		$1 != "shift" { is[$1] = $2 }
		END {
			print is["joules_par"], is["low_seconds"], is["starts_par"], is["copied_bytes"], is["slots_used"],
				is["missing"], is["hits"]
		}' >"$WORK/told.$1"
}

# expect SHARE FIGURES
expect() {
	local told
	read -r told <"$WORK/told.$1"
	if [ "$told" = "$2" ]; then
		echo "images of $1 %: $told"
	else
		echo "WRONG images of $1 %: $told instead of $2"
		status=1
	fi
}

"$TOP/scripts/build-policy" "$WORK"
"$("$TOP/scripts/build-tracer")" trace synth day nas --span "$SPAN" >"$WORK/day"
figures 100 &
all=$!
figures 10
wait "$all"
status=0
expect 100 "1517888 84987.000 10 2017722368"
expect 10 "1981880 26960.000 10 83772571648 39883 1864 5"
exit "$status"
