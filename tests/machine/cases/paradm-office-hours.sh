#!/bin/bash
# An array learns from its history when its office is open, and follows this schedule while paradm daemon runs: it is in the top gear when its office hours begin, and has its own limits when the daemon has ended.
# needs: paradm
# machine: --debug --time-travel
. "$(dirname "$0")/../tools/paradm-daemon.sh"

# keep_weeks HOUR: write four weeks into the history of the only array. On working days full load begins at that hour (since
# 1970).
keep_weeks() {
	/usr/bin/python3 - "$DATABASE" "$1" <<-'END'
		import sqlite3, sys
		begins = int(sys.argv[2])
		history = sqlite3.connect(sys.argv[1])
		(array,) = history.execute("SELECT id FROM array").fetchone()
		history.execute("DELETE FROM hour")
		for hour in range(begins - 28 * 24, begins - 26):
		    busy = (hour - begins) % 24 < 8 and (hour // 24 + 3) % 7 < 5
		    history.execute("INSERT INTO hour VALUES (?, ?, ?, ?)", (array, hour, *((60, 65) if busy else (2, 5))))
		history.commit()
	END
}

on_spindles 3,5 48M
fill 16

note "an event makes the array known to the history"
start_daemon
says '' shift 3
settle
end_daemon TERM 0

note "office hours are foretold, and followed"
says '' policy set policy=auto
# The hour after the next one: the next one may begin before the daemon does.
begins=$((EPOCHSECONDS / 3600 + 2))
keep_weeks "$begins"
says 'does not follow this schedule; run .paradm schedule apply. for that' schedule show
says 'follows its schedule while paradm daemon runs' schedule apply
json '.arrays[0] | .follows, .good_enough, .right.percent >= 90, (.day_types | map(join(" ")) | join(", "))' schedule show
assert_eq "$JSON" $'true\ntrue\ntrue\nMon Tue Wed Thu Fri, Sat Sun' "schedule"
start_daemon
wait_for "/sys/block/$MD/md/par/gear" 3 3000
nap $((begins * 3600 - EPOCHSECONDS - 70))
assert_eq "$(par gear) $(limits)" "3 3 5" "gear and limits before the lead of a minute"
nap 75
assert_eq "$(par gear)" 5 "gear when the hour begins"
assert_eq "$(par min_gear)" 5 "min_gear when the hour begins"
end_daemon TERM 0
assert_eq "$(limits)" "3 5" "limits when the daemon has ended"
says 'does not follow its schedule any more; its gears are 3 to 5, as before' schedule off
assert_eq "$(cat "$SAID_BY_DAEMON")" "" "messages of the daemon"
stop_par
