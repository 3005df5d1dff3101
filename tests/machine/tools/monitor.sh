# shellcheck shell=bash
# mdadm --monitor and its events.

EVENTS=/run/events

# start_monitor DEVICE: start mdadm --monitor; it runs until MONITOR is killed. An event is a difference
# between two polls, so wait for the end of the first poll: --test reports its begin, and at its end
# mdadm sleeps and has no child process.
start_monitor() {
	cat >/run/on-event <<-END
		#!/bin/sh
		echo "\$1 \${3#/dev/}" >>$EVENTS
	END
	chmod +x /run/on-event
	: >"$EVENTS"
	mdadm --monitor --test --delay=1 --program=/run/on-event "$1" >/dev/null 2>&1 &
	MONITOR=$!
	wait_event TestMessage
	until monitor_sleeps; do sleep 0.1; done
}

monitor_sleeps() {
	local state
	read -r _ _ state _ <"/proc/$MONITOR/stat"
	[ "$state" = S ] && ! pgrep -P "$MONITOR" >/dev/null
}

# wait_event EVENT: a regular expression for "EVENT", or "EVENT MEMBER".
wait_event() {
	until_ok 180 grep -qE "^$1 *\$" "$EVENTS" || fail "no event '$1' in 180 s, but: $(tr '\n' ';' <"$EVENTS")"
}
