#!/bin/bash
# Over days that resemble each other, with noise, the policy is within 10 percent of the best schedule, and within its spin-up budget.
# rare: yes
# needs: raid-tracer
# timeout: 900
#
# In user space: the module's policy.c, predict.c, geometry.c and ration.c without a kernel, and
# disks according to data sheets (tests/policy/sim-array.h lists what is left out). Two days, or
# a week with RAIDPAR_WHOLE=1. All knobs have the defaults of a new array, except the ration: 10
# spin-ups per day, none saved up.
set -euo pipefail
. "$(dirname "$0")/../../scripts/lib.sh"

WORK=$(mktemp -d)
trap 'rm -rf "$WORK"' EXIT
CYCLES=18250	# in 5 years, 10 a day
DAYS=2
[ -z "${RAIDPAR_WHOLE:-}" ] || DAYS=7

# replay GEARS NIGHT NOON: replay days with these rates in requests per second; $WORK/GEARS has the results.
replay() {
	"$tracer" trace synth rhythm --days "$DAYS" --night "$2" --noon "$3" | "$WORK/policy-replay" -c "$CYCLES" -d 0 "$1" >"$WORK/$1"
}

# check GEARS: the results are within the limits. The last limits ensure that the days are a real test.
check() {
	echo "gears $1, $DAYS days:"
	awk '
		$1 != "shift" { is[$1] = $2; next }
		{ shifts++; if ($6 !~ /^(load|wait|quiet|gone):$/) odd = odd "\n  " $0 }
		function claim(holds, text) { printf "  %s %s\n", holds ? "ok    " : "WRONG ", text; wrong += !holds }
		END {
			over = is["joules_par"] / is["joules_best"] - 1
			p99 = is["p99_in_top_ms"] / is["p99_in_top_top_ms"] - 1
			copied = is["copied_bytes"] / is["bytes"]
			low = is["low_seconds"] / is["seconds"]
			claim(over <= 0.10 && over >= 0, sprintf("energy %.1f %% above what any schedule takes: %d J, %d J; top gear %d J",
				100 * over, is["joules_par"], is["joules_best"], is["joules_top"]))
			claim(p99 <= 0.05, sprintf("p99 in the top gear %.1f %% above that of the array which is always there: %s ms, %s ms",
				100 * p99, is["p99_in_top_ms"], is["p99_in_top_top_ms"]))
			claim(is["most_starts_a_day"] <= 10, sprintf("%d spin-ups of a disk a day at most", is["most_starts_a_day"]))
			claim(copied <= 0.03, sprintf("%.2f %% copied of what was asked for", 100 * copied))
			claim(odd == "", "each shift has a reason that is a load" odd)
			claim(is["shifts"] == shifts && shifts >= 2 && low > 0.2 && low < 0.8, sprintf("%d shifts, %.0f %% of the time in the low gear",
				shifts, 100 * low))
			exit wrong > 0
		}' "$WORK/$1"
}

"$TOP/scripts/build-policy" "$WORK"
tracer=$("$TOP/scripts/build-tracer")
replay 3,5 4 180 &
first=$!
replay 3,8 6 240
wait "$first"
status=0
check 3,5 || status=1
check 3,8 || status=1
exit "$status"
