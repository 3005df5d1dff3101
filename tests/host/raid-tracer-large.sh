#!/bin/bash
# raid-tracer converts and filters 10 GB of rows within 100 MB of memory.
# subject: tracer
# rare: yes
# timeout: 3600
set -euo pipefail
. "$(dirname "$0")/../../scripts/lib.sh"

tracer=$("$TOP/scripts/build-tracer")
ulimit -v 100000
# A day of guests has 6.6 million rows of 36 bytes.
read -r rows bytes < <("$tracer" trace synth day guests --days 46 | "$tracer" trace convert - --to iolog |
	"$tracer" trace filter - --load 100 | wc -lc)
echo "$rows rows, $bytes bytes"
[ "$bytes" -gt 10000000000 ]
