#!/bin/bash
# The least energy that the yardstick computes is never above that of a schedule: all schedules of small cases are tried.
# timeout: 120
#
# For whole days, whose schedules are too many, tests/policy/loads.sh compares the bound with the energy of the policy and
# of the low gear.
set -euo pipefail
. "$(dirname "$0")/../../scripts/lib.sh"

WORK=$(mktemp -d)
trap 'rm -rf "$WORK"' EXIT

"$TOP/scripts/build-policy" "$WORK"
"$WORK/bound" 500 | tee "$WORK/told"
# The bound is close: in many cases it equals the energy of the best schedule.
awk '$1 == "exact" && $2 >= 150 { met = 1 } END { exit !met }' "$WORK/told"
