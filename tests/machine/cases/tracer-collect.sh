#!/bin/bash
# raid-tracer records what others ask of a device, to the microsecond, and its own peaks; killed, it goes on; a device that holds something is spared.
# subject: tracer
# machine: --time-travel
# needs: raid-tracer
. "$(dirname "$0")/../tools/par.sh"

repo=$MACHINE_TMP/repo list=$MACHINE_TMP/list said=$MACHINE_TMP/said

mountpoint -q /sys/kernel/tracing || mount -t tracefs tracefs /sys/kernel/tracing
instances() { find /sys/kernel/tracing/instances -mindepth 1 -maxdepth 1 | wc -l; }
mkspindles 2 1G preset=nearline

note "what others send"
awk 'BEGIN { srand(3); print "0 r 0 4096"
	for (i = 1; i < 300; i++) {
		at += 1000 + int(rand() * 6e7)
		if (rand() < 0.05) printf "%.0f f 0 0\n", at
		else printf "%.0f %s %.0f %d\n", at, rand() < 0.3 ? "w" : "r", int(rand() * 2e6), 4096 * (1 + int(rand() * 16))
	} }' >"$list"
"$TRACER" trace collect /dev/spin0 -o "$repo" --watch --seconds 60 >"$said" &
nap 1
"$TRACER" replay "$list" /dev/spin0 --destroy >/dev/null &
dd if=/dev/spin1 of=/dev/null bs=1M count=8 iflag=direct status=none
wait
assert_match "$(cat "$said")" '^/.*/spin0_.*_rnd100_rd[67][0-9]\.blktrace$' "the name"
"$TRACER" trace convert "$(cat "$said")" | paste -d' ' - "$list" | awk '
	# The first one comes some µs late: the kernel starts a thread that sends.
	{ off = $1 - $5 }
	NR == 2 { first = off }
	$2 $3 " " $4 != $6 $7 " " $8 || (NR > 1 && (off - first > 3000 || first - off > 3000)) || off < -50000 { print; wrong++ }
	END { exit wrong > 0 || NR != 300 }'

note "peaks, killed once"
"$TRACER" trace collect /dev/spin1 -o "$repo" --size 1M --seconds 1 >"$said" &
nap 4.5
kill -9 $!
wait || true
# Its requests end.
nap 2
before=$(wc -l <"$said")
assert_le 2 "$before" "traces before"
assert_le "$before" 5 "traces before"
assert_eq "$(instances)" 1 "instances that are left"
"$TRACER" trace collect /dev/spin1 -o "$repo" --size 1M --seconds 1 >"$said"
assert_eq $(($(wc -l <"$said") + before)) 25 "traces"
assert_eq "$(instances)" 0 "instances"
"$TRACER" trace info "$repo" >/dev/null
python3 - "$repo/index.sqlite" <<-'END'
	import re, sqlite3, sys
	db = sqlite3.connect(sys.argv[1])
	rows = db.execute("SELECT name, read_percent, random_percent, mean_bytes, seconds, reads + writes FROM traces WHERE name LIKE 'spin1%'").fetchall()
	assert len(rows) == 25, rows
	for name, reads, random, size, seconds, count in rows:
	    wanted = [int(number) for number in re.fullmatch(r"spin1_1M_rnd(\d+)_rd(\d+)\.blktrace", name).groups()]
	    assert abs(random - wanted[0]) < 20 and abs(reads - wanted[1]) < 20, (name, reads, random)
	    assert size == 1 << 20 and 0.5 < seconds < 2 and count > 25 * seconds, (name, seconds, count)
END
assert_eq "$("$TRACER" trace collect /dev/spin1 -o "$repo" --size 1M --seconds 1)" "" "traces when all are there"

note "spared"
# spared PATTERN OPTION...: refused for this reason.
spared() {
	local status=0 reason
	reason=$("$TRACER" trace collect /dev/spin0 -o "$repo" --size 512 "${@:2}" 2>&1) || status=$?
	assert_match "$reason" "$1" "the reason"
	assert_eq "$status" 6 "exit code"
}
mkswap -q /dev/spin0
spared '/dev/spin0 holds swap, which would be destroyed; --destroy allows that'
echo "0 2048 linear /dev/spin0 0" | dmsetup create held --noudevsync
spared 'mounted, or a member of something' --destroy
dmsetup remove held
assert_eq "$(blkid -p -s TYPE -o value /dev/spin0)" swap "what the disk holds"
rmdisks
