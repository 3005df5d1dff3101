#!/bin/bash
# paradm daemon on a real array: it writes metrics, ends pins, keeps the history through kill -9, follows a schedule, and wakes no sleeper by itself.
# needs: paradm
# machine: --debug --time-travel --mem 512M
# timeout: 400
set -euo pipefail
. "$(dirname "$0")/../tools/paradm.sh"

CONFIG=/etc/paradm/daemon.toml
DATABASE=/var/lib/paradm/history.db
SAID_BY_DAEMON=$MACHINE_TMP/daemon.log

start_daemon() {
	"$PARADM" daemon 2>>"$SAID_BY_DAEMON" &
	DAEMON=$!
	wait_held 30
}

# wait_held SECONDS: it is ready when it holds its lock and has looked once.
wait_held() {
	local i
	for ((i = 0; i < $1 * 10; i++)); do
		[ ! -e "/proc/$DAEMON/exe" ] || [ ! -s "$DATABASE" ] || { nap 1; return; }
		nap 0.1
	done
	fail "the daemon does not begin: $(cat "$SAID_BY_DAEMON")"
}

# end_daemon SIGNAL WANTED: its exit code.
end_daemon() {
	local code=0
	kill "-$1" "$DAEMON"
	wait "$DAEMON" || code=$?
	assert_eq "$code" "$2" "exit code after SIG$1: $(cat "$SAID_BY_DAEMON")"
}

# query SQL: of the history.
query() {
	/usr/bin/python3 - "$DATABASE" "$1" <<-'END'
		import sqlite3, sys
		for row in sqlite3.connect(sys.argv[1]).execute(sys.argv[2]):
		    print(*row)
	END
}

limits() { echo "$(par min_gear) $(par max_gear)"; }

mkspindles 5 48M
create_par 3,5 --chunk=64
fill 16
mkdir -p /etc/paradm /var/lib/paradm
TEXTFILE=$MACHINE_TMP/raidpar.prom

note "a wrong configuration is refused, with its line"
printf 'mail = "root"\nmial = "root"\n' >"$CONFIG"
refuses 2 'daemon.toml: line 2: unknown field .mial' daemon
ask 2 daemon --check
echo "textfile = \"$TEXTFILE\"" >"$CONFIG"
ask 0 daemon --check

note "metrics, as Prometheus' own client reads them, while sleepers sleep"
start_daemon
refuses 6 'another one runs' daemon
says '' shift 3
settle
for d in 3 4; do wait_for "/sys/block/$MD/md/par/member$d/power_state" asleep 60; done
watch_sleepers
nap 65
code=0
metrics=$(/usr/bin/python3 - "$TEXTFILE" <<'END'
import sys
try:
    from prometheus_client.parser import text_string_to_metric_families as families
except ImportError:
    sys.exit(77)
with open(sys.argv[1]) as file:
    read = {family.name: family for family in families(file.read())}
print(int(read["raidpar_array_gear"].samples[0].value),
      sum(int(sample.value) for sample in read["raidpar_disk_state"].samples if sample.labels["state"] == "asleep"))
END
) || code=$?
[ "$code" = 77 ] || assert_eq "$metrics" "3 2" "gear and sleepers in the metrics (exit code $code)"
nap 3700
assert_asleep "of an hour of the daemon"
rss=$(sed -n 's/^VmRSS:[^0-9]*\([0-9]*\) kB/\1/p' "/proc/$DAEMON/status")
note "resident: $rss KiB"
[ "$rss" -lt 20480 ] || fail "the daemon has $rss KiB of memory"

note "kill -9: what was saved is there, and it goes on"
says '' shift 5
settle
nap 400
end_daemon KILL 137
assert_eq "$(query "SELECT gear FROM event WHERE kind = 'shift' ORDER BY id")" $'3\n5' "shifts that were kept"
assert_eq "$(query "SELECT count(*) FROM event WHERE kind = 'wake'")" 2 "wakes that were kept"
assert_ne "$(query "SELECT count(*) FROM hour")" 0 "hours that were kept"
start_daemon

note "a pin ends"
says '' pin set 3 --for 100s
wait_for "/sys/block/$MD/md/par/gear" 3 60
nap 200
assert_eq "$(limits)" "3 5" "limits after the pin"
assert_match "$(cat "$SAID_BY_DAEMON")" 'the pin has ended' "what the daemon says"

note "reload, and a clean end"
echo "textfile = \"$TEXTFILE.prom\"" >"$CONFIG"
kill -HUP "$DAEMON"
nap 65
assert_match "$(cat "$TEXTFILE.prom")" 'raidpar_array_gear' "the other file"
end_daemon TERM 0

note "a week of office hours is foretold, and followed"
says '' policy set policy=auto
sqlite_week() {
	/usr/bin/python3 - "$DATABASE" "$EPOCHSECONDS" <<-'END'
		import sqlite3, sys
		now = int(sys.argv[2]) // 3600
		history = sqlite3.connect(sys.argv[1])
		(array,) = history.execute("SELECT id FROM array").fetchone()
		history.execute("DELETE FROM hour")
		# Each day the load begins at full in the hour after the next one.
		for hour in range(now - 240, now - 24):
		    busy = (hour - now - 2) % 24 < 8
		    history.execute("INSERT INTO hour VALUES (?, ?, ?, ?)", (array, hour, *((60, 65) if busy else (2, 5))))
		history.commit()
	END
}
sqlite_week
says 'does not follow this schedule; .paradm schedule apply. has it do so' schedule show
says 'follows its schedule while paradm daemon runs' schedule apply
start_daemon
next=$(((EPOCHSECONDS / 3600 + 2) * 3600))
wait_for "/sys/block/$MD/md/par/gear" 3 3000
nap $((next - EPOCHSECONDS - 70))
assert_eq "$(par gear) $(limits)" "3 3 5" "gear and limits before the lead of a minute"
nap 75
assert_eq "$(par gear)" 5 "gear when the hour begins"
assert_eq "$(par min_gear)" 5 "min_gear when the hour begins"
end_daemon TERM 0
assert_eq "$(limits)" "3 5" "limits when the daemon has ended"
says 'does not follow its schedule any more; its gears are 3 to 5, as before' schedule off
