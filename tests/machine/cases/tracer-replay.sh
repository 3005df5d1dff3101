#!/bin/bash
# raid-tracer sends each request at its time to the microsecond, as tests/replay/replay.c does, also while a disk starts; a sector that cannot be read is an error.
# subject: tracer
# machine: --debug --time-travel
# needs: raid-tracer
. "$(dirname "$0")/../tools/par.sh"

TRACER=$RAIDPAR_TOP/build/tools/debug/raid-tracer
REPLAY=$MACHINE_TMP/replay
gcc -O1 -pthread -o "$REPLAY" "$RAIDPAR_TOP/tests/replay/replay.c"

list=$MACHINE_TMP/list rows=$MACHINE_TMP/rows said=$MACHINE_TMP/said

# field NAME: the words after NAME in what raid-tracer has printed.
field() { sed -n "s/^$1 *//p" "$said"; }

# in_time: no request was sent late. The clock of the machine advances by 256 ns each time that it is read.
in_time() { assert_le "$(awk '$1 == "late" { print int(1000 * $NF) }' "$said")" 2 "most µs late"; }

mkspindles 1 16000900661248 preset=nearline
read -r rpm <"$SPINDLES/spin0/rpm"

note "a thousand requests in 30 s, of which some meet"
echo "0 r 0 4096" >"$list"
awk 'BEGIN { srand(7)
	for (i = 1; i < 1000; i++) {
		at += 1 + int(rand() * 6e7)
		if (rand() < 0.02) printf "%.0f f 0 0\n", at
		else printf "%.0f %s %.0f %d\n", at, rand() < 0.3 ? "w" : "r", int(rand() * 3e10), 4096 * (1 + int(rand() * 16))
	} }' >>"$list"
"$REPLAY" /dev/spin0 -z -l "$list" -o "$rows.c" >/dev/null
sleep 200
"$TRACER" replay "$list" /dev/spin0 --destroy --rows "$rows" >"$said"
note "$(cat "$said")"
assert_eq "$(field requests) $(field errors)" "1000 0" "requests and errors"
in_time
cut -d' ' -f1-4 "$rows" | cmp - "$list"
# The two begin at other angles of the platter: the latencies of reads differ by the same part of a turn, and of all
# others by less than 3 µs. The first request also depends on where the head was.
paste -d' ' "$rows" "$rows.c" | awk -v turn=$((60000000000 / rpm)) 'NR > 1 && $2 != "f" {
		d = $5 - $11
		if ($2 == "r") {
			d = (d % turn + turn) % turn
			if (!reads++) first = d
			d = (d - first + turn * 1.5) % turn - turn / 2
		}
		if (d < -3000 || d > 3000) { print "differs by " d " ns: " $0; n++ }
	}
	END { exit n > 0 || reads < 500 }'

note "requests to a disk that starts"
echo 20000 >/sys/block/spin0/device/power/autosuspend_delay_ms
echo auto >/sys/block/spin0/device/power/control
printf '%s\n' "0 r 0 4096" "100000000000 r 8000 4096" "100001000000 r 80000 4096" "101000000000 r 800000 4096" >"$list"
"$TRACER" replay "$list" /dev/spin0 --rows "$rows" >"$said"
note "$(cat "$rows")"
in_time
# All of them wait for the start.
awk 'NR > 1 { n += $1 + $5 > 119e9 && $1 + $5 < 121e9 } END { exit n != 3 }' "$rows"

note "sectors that cannot be read"
dmsetup create bad --noudevsync --table "0 2048 error"
dmsetup mknodes bad
printf '%s\n' "0 r 0 4096" "1000000 r 8 4096" >"$list"
status=0
"$TRACER" replay "$list" /dev/mapper/bad --rows "$rows" >"$said" 2>"$said.err" || status=$?
assert_eq "$status" 1 "exit code: $(cat "$said.err")"
assert_eq "$(field requests) $(field errors)" "0 2" "requests and errors"
grep -q '2 requests failed; the first: r at sector 0' "$said.err"
assert_eq "$(cut -d' ' -f6 "$rows" | xargs)" "5 5" "errors in the rows"
dmsetup remove bad
