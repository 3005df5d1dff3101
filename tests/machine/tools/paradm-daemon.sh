# shellcheck shell=bash
# Start and stop a paradm daemon in a test.

# shellcheck source=paradm.sh
. "$(dirname "${BASH_SOURCE[0]}")/paradm.sh"

DATABASE=/var/lib/paradm/history.db
SAID_BY_DAEMON=$MACHINE_TMP/daemon.log
rm -rf /etc/paradm /var/lib/paradm "$SAID_BY_DAEMON"
mkdir -p /etc/paradm /var/lib/paradm

start_daemon() {
	"$PARADM" daemon 2>>"$SAID_BY_DAEMON" &
	DAEMON=$!
	wait_held 30
}

# wait_held SECONDS: wait until the daemon holds its lock and has polled once.
wait_held() {
	until_ok "$1" test -e "/proc/$DAEMON/exe" -a -s "$DATABASE" ||
		fail "the daemon does not begin: $(cat "$SAID_BY_DAEMON")"
	nap 1
}

# end_daemon SIGNAL WANTED: end the daemon by a signal; its exit code is WANTED.
end_daemon() {
	local code=0
	kill "-$1" "$DAEMON"
	wait "$DAEMON" || code=$?
	assert_eq "$code" "$2" "exit code after SIG$1: $(cat "$SAID_BY_DAEMON")"
}

# query SQL: run a query on the history.
query() {
	/usr/bin/python3 - "$DATABASE" "$1" <<-'END'
		import sqlite3, sys
		for row in sqlite3.connect(sys.argv[1]).execute(sys.argv[2]):
		    print(*row)
	END
}

limits() { echo "$(par min_gear) $(par max_gear)"; }
