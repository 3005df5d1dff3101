#!/bin/bash
# A trace in the form of MSR Cambridge's becomes requests in order of time, and policy-replay accepts them.
# needs: raid-tracer
#
# The test makes the trace, an hour long. For real traces: raid-tracer trace convert TRACE.csv | policy-replay 3,5.
set -euo pipefail
. "$(dirname "$0")/../../scripts/lib.sh"

WORK=$(mktemp -d)
trap 'rm -rf "$WORK"' EXIT
tracer=$("$TOP/scripts/build-tracer")
msr() { "$tracer" trace convert -; }

# Lines of a trace: out of order, one that begins within a sector, one of no bytes, words in upper and lower case.
cat >"$WORK/few.csv" <<-EOF
	128166372000000100,host,0,Write,4096,512,10
	128166372000000000,host,0,Read,1048576,65536,20
	128166372000000300,host,1,read,1000,100,30
	128166372000000200,host,0,Write,8192,0,40
	128166372010000000,host,0,Write,600,1000,50
EOF
cat >"$WORK/expected" <<-EOF
	0 r 2048 65536
	10000 w 8 512
	30000 r 1 1024
	1000000000 w 1 1536
EOF
status=0
msr <"$WORK/few.csv" >"$WORK/rows" 2>"$WORK/said" || status=$?
diff "$WORK/rows" "$WORK/expected"
[ "$status" = 1 ] && grep -q 'line 4 has no bytes' "$WORK/said"

for line in '128166372000000000,host,0,Trim,4096,512,10' '128166372000000000,host,0,Read,4096' 'x,host,0,Read,0,512,1' \
	'128166372000000000,host,0,Read,-512,512,10'; do
	status=0
	printf '128166372000000000,host,0,Read,0,512,10\n%s\n' "$line" | msr >"$WORK/rows" 2>"$WORK/said" || status=$?
	[ "$status" = 1 ] || { echo "status $status for: $line"; exit 1; }
	grep -q 'line 2 is not TIMESTAMP' "$WORK/said"
	[ "$(cat "$WORK/rows")" = "0 r 0 512" ]
done

# Two minutes of load, then a request a minute: the array ends in its low gear.
awk -v OFMT=%.0f -v CONVFMT=%.0f 'BEGIN {
	srand(19)
	for (i = 0; i < 6000; i++) print 128166372000000000 + i * 200000 ",h,0," (i % 3 ? "Read" : "Write") "," int(rand() * 2e9) * 4096 ",4096,1"
	for (i = 0; i < 60; i++) print 128166373200000000 + i * 600000000 ",h,0,Read," int(rand() * 2e9) * 4096 ",4096,1"
}' >"$WORK/hour.csv"
"$TOP/scripts/build-policy" "$WORK/tools"
msr <"$WORK/hour.csv" | "$WORK/tools/policy-replay" 3,5 >"$WORK/told"
awk '{ is[$1] = $2 }
	END {
		print "requests " is["requests"] ", seconds " is["seconds"] ", seconds in the low gear " is["low_seconds"]
		exit !(is["requests"] == 6060 && is["seconds"] > 3600 && is["low_seconds"] > 2400)
	}' "$WORK/told"
