#!/bin/bash
# raid-tracer evaluate on arrays that tests/bench/array makes: joules of par, raid5, and raid5 whose disks stop, are in the order that they have to be, and the same again; waits have their hours.
# subject: tracer
# rare: yes
# needs: 6.12 raid-tracer
# timeout: 900
set -euo pipefail
. "$(dirname "$0")/plan.sh"

WORK=$(mktemp -d)
trap 'rm -rf "$WORK"' EXIT
cd "$WORK"
export RAIDPAR_MEM=1G

# Two busy minutes, an hour with a read each 10 minutes.
awk 'BEGIN {
	srand(3)
	for (i = 0; i < 6000; i++) printf "%.0f %s %.0f 65536\n", i * 2e7, i % 3 ? "r" : "w", int(rand() * 64) * 128
	for (i = 1; i <= 6; i++) printf "%.0f r %.0f 65536\n", (120 + i * 600) * 1e9, i * 128
}' >trace
{
	echo 'traces = ["trace"]'
	echo 'destroy = true'
	array par array par
	array raid5 array raid5
	array 'raid5 sleep=300' array raid5 sleep=300
} >plan.toml
"$TRACER" evaluate plan.toml >table
cat table
joules() { ask "$1" "SELECT CAST(joules AS INTEGER) FROM tests WHERE array = '$2'"; }

# Five disks that turn use 5 W each, and more while they seek.
read -r whole < <(joules plan.sqlite raid5)
read -r sleeps < <(joules plan.sqlite 'raid5 sleep=300')
read -r par < <(joules plan.sqlite par)
echo "raid5 $whole J, with disks that sleep $sleeps J, par $par J"
[ "$whole" -gt $((3720 * 25)) ] && [ "$whole" -lt $((3720 * 27)) ]
[ "$par" -lt "$whole" ] && [ "$sleeps" -lt "$whole" ]
[ "$(ask plan.sqlite "SELECT count(*) FROM tests WHERE errors = 0 AND requests = 6006 AND late_ms < 0.01")" = 3 ]

# A read for which a disk had to start takes seconds, and is told with its hour.
waits() { ask plan.sqlite "SELECT count(*), min(hour), max(hour), sum(waits.requests) FROM waits JOIN tests ON test = id
	WHERE array = '$1' AND waits.seconds BETWEEN waits.requests AND 60 * waits.requests"; }
echo "waits: raid5 $(waits raid5), with disks that sleep $(waits 'raid5 sleep=300')"
[ "$(waits raid5)" = "0 None None None" ] && [ "$(waits 'raid5 sleep=300')" = "2 0 1 6" ]

cp plan.sqlite before.sqlite
python3 -c 'import sqlite3; db = sqlite3.connect("plan.sqlite"); db.execute("DELETE FROM tests WHERE array = ?", ("par",)); db.commit()'
"$TRACER" evaluate plan.toml >/dev/null
[ "$(ask plan.sqlite "SELECT joules, response_ms FROM tests WHERE array = 'par'")" = \
	"$(ask before.sqlite "SELECT joules, response_ms FROM tests WHERE array = 'par'")" ]
