#!/bin/bash
# raid-tracer: its unit, property and golden tests; blkparse, btrecord and fio accept what it writes, and it reads what fio records.
# subject: tracer
# timeout: 900
set -euo pipefail
. "$(dirname "$0")/../../scripts/lib.sh"

"$TOP/scripts/build-tracer" test
tracer=$("$TOP/scripts/build-tracer")
six=$TOP/tools/tracer/tests/corpus/six.list

WORK=$(mktemp -d)
trap 'rm -rf "$WORK"' EXIT
cd "$WORK"

is() { [ "$1" = "$2" ] || { printf '%s: is\n%s\nwanted\n%s\n' "$3" "$1" "$2"; exit 1; }; }

# requests LOG: the reads and writes of an iolog of fio's, without their times.
requests() { awk '$3 == "read" || $3 == "write" { print $3, $4, $5 }' "$1"; }

# sent OPTION...: what fio has sent of a trace that it replays, as its report counts it.
sent() {
	fio --name=replay --thread --replay_redirect="$WORK/device" --replay_no_stall=1 --output-format=json "$@" |
		jq -r '.jobs[0] | "\(.read.total_ios) \(.read.io_bytes) \(.write.total_ios) \(.write.io_bytes) \(.error)"'
}

"$tracer" trace convert "$six" -o sdb.blktrace.0
"$tracer" trace convert "$six" -o six.iolog
truncate -s 1T device
is "$(sent --read_iolog=sdb.blktrace.0)" "3 70144 2 135168 0" "fio, of blktrace"
is "$(sent --read_iolog=six.iolog)" "3 70144 2 135168 0" "fio, of an iolog"

if command -v blkparse >/dev/null; then
	is "$(blkparse -q -i sdb -f '%T.%9t %d %S %N\n' | head -n 6 | sed 's/^ *//')" \
		"$(printf '%s\n' '0.000000000 WS 2048 4096' '0.001000000 R 8 512' '0.001000000 R 16 65536' \
			'0.250000000 FWS 0 0' '0.250001000 WS 4096 131072' '3600.000000000 R 1953525160 4096')" "blkparse"
	# Its own text is read again.
	blkparse -q -i sdb >sdb.txt
	is "$("$tracer" trace convert sdb.txt)" "$(cat "$six")" "text of blkparse"
	# For btreplay, of 64-bit words: a header of four; bunches of a count and a time; sector, bytes and 1 for a read of each
	# request, and a flush as a write of nothing.
	btrecord -D "$WORK" -d "$WORK" sdb >/dev/null
	is "$(od -An -v -t u8 -w8 -j 32 sdb.replay.0 | xargs)" \
		"3 0 2048 4096 0 8 512 1 16 65536 1 2 250000000 0 0 0 4096 131072 0 1 3600000000000 1953525160 4096 1" "btrecord"
fi

# What fio records.
fio --name=record --filename="$WORK/file" --size=4M --rw=randrw --bs=4k --number_ios=64 --randseed=5 \
	--write_iolog=recorded.iolog >/dev/null
"$tracer" trace convert recorded.iolog -o again.iolog
is "$(requests again.iolog)" "$(requests recorded.iolog)" "what fio recorded"
[ "$(requests again.iolog | wc -l)" = 64 ]
