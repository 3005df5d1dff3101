#!/bin/bash
# paradm daemon on a real array: it writes metrics, ends pins, keeps the history through kill -9, and wakes no sleeper by itself.
# needs: paradm
# machine: --debug --time-travel
# timeout: 400
. "$(dirname "$0")/../tools/paradm-daemon.sh"

CONFIG=/etc/paradm/daemon.toml

on_spindles 3,5 48M
fill 16
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

note "kill -9: the saved history is there, and the next daemon continues it"
says '' shift 5
settle
nap 400
end_daemon KILL 137
assert_eq "$(query "SELECT gear FROM event WHERE kind = 'shift' ORDER BY id")" $'3\n5' "shifts in the history"
assert_eq "$(query "SELECT count(*) FROM event WHERE kind = 'wake'")" 2 "wakes in the history"
assert_ne "$(query "SELECT count(*) FROM hour")" 0 "hours in the history"
json '[.events[] | select(.kind == "wake") | .member] | sort | join(" ")' events --kind wake,shift
assert_eq "$JSON" "3 4" "wakes in the output of paradm events"
says "$MD is in gear 3"$'\n'".*$MD is in gear 5" events --kind shift
refuses 3 'md7 is not a running par array, and' events md7
start_daemon

note "a pin ends"
says '' pin set 3 --for 100s
wait_for "/sys/block/$MD/md/par/gear" 3 60
nap 200
assert_eq "$(limits)" "3 5" "limits after the pin"
assert_match "$(cat "$SAID_BY_DAEMON")" 'the pin has ended' "the daemon's messages"

note "reload, and a clean end"
echo "textfile = \"$TEXTFILE.prom\"" >"$CONFIG"
kill -HUP "$DAEMON"
nap 65
assert_match "$(cat "$TEXTFILE.prom")" 'raidpar_array_gear' "the other file"
end_daemon TERM 0
stop_par
