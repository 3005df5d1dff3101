#!/bin/bash
# The least energy that the yardsticks compute is never above that of a schedule: all schedules of small cases are tried.
# needs: raid-tracer
#
# For whole days, whose schedules are too many, tests/policy/loads.sh compares the bound with the energy of the policy and
# of the low gear. Here the bound of arrays with images of a share (demand.h) is compared with a few requests, for which it
# can be computed by hand, and on the day of media with the figures of Documentation/slots.md.
set -euo pipefail
. "$(dirname "$0")/../../scripts/lib.sh"

WORK=$(mktemp -d)
trap 'rm -rf "$WORK"' EXIT

"$TOP/scripts/build-policy" "$WORK"
"$WORK/bound" 500 | tee "$WORK/told"
# The bound is close: in many cases it equals the energy of the best schedule.
awk '$1 == "exact" && $2 >= 150 { met = 1 } END { exit !met }' "$WORK/told"
# With a limited number of starts the best schedule is found in each case but a few.
awk '$1 == "limited" && $2 >= 480 { met = 1 } END { exit !met }' "$WORK/told"

# demand FIGURES: with images of 10 %, requests from standard input: J above what is used in any case, starts, and reads
# that have no use before them.
demand() {
	local told
	"$WORK/policy-replay" -q --log --image-share 10 3,5 >"$WORK/told"
	told=$(awk '{ is[$1] = $2 }
		END {
			print is["joules_demand"] - is["joules_demand_still"], is["starts_demand"], is["first_uses"]
			exit is["joules_par"] < is["joules_demand"] || is["joules_demand_rationed"] < is["joules_demand"]
		}' "$WORK/told") || { echo "WRONG less than the least:" && cat "$WORK/told" && exit 1; }
	[ "$told" = "$1" ] || { echo "WRONG least: $told instead of $1" && exit 1; }
	echo "least: $told"
}

# Chunks of 512 KiB, so a run is two stripes: of run n they begin at chunk 8 n and 8 n + 4. The last chunk of the first
# stripe of run 0 is on a sleeper, and so is that of runs 1000 and 3000, and the first one of run 1001.
#
# The members turn at first, which is enough for run 0: it was used before, beside the sleeper. They have to be started for
# run 1000 (two disks, 460 J each above standby) and turn until run 3000 is read 50 s later, 4 W each, less the 30 s that
# the first read may wait for them to stop and start: 160 J. After these, 1001 is beside a run that was used, what is
# written is in the log, and 3000 was read before.
demand "1080 1 2" <<-EOF
	0 r 0 4096
	1000000000000 r 3072 4096
	2000000000000 r 8195072 4096
	2050000000000 r 24579072 4096
	2100000000000 r 8200192 4096
	3000000000000 w 40963072 4096
	4000000000000 r 40963072 4096
	5000000000000 r 24579072 4096
EOF
# 170 s apart they had better stop in between: that costs less than the 140 s that they would turn for nothing.
demand "1840 2 2" <<-EOF
	0 r 0 4096
	2000000000000 r 8195072 4096
	2170000000000 r 24579072 4096
EOF
"$("$TOP/scripts/build-tracer")" trace synth day media --span 9600000000000 | demand "236702 23 13699"
