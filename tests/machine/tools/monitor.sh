# shellcheck shell=bash
# mdadm --monitor, and what it has told.

EVENTS=/run/events

# start_monitor DEVICE: runs until MONITOR is killed.
start_monitor() {
	cat >/run/on-event <<-END
		#!/bin/sh
		echo "\$1 \${3#/dev/}" >>$EVENTS
	END
	chmod +x /run/on-event
	: >"$EVENTS"
	mdadm --monitor --delay=1 --program=/run/on-event "$1" >/dev/null 2>&1 &
	# shellcheck disable=SC2034  # for those who source this
	MONITOR=$!
}

# wait_event EVENT: a regular expression for "EVENT", or "EVENT MEMBER".
wait_event() {
	local i
	for ((i = 0; i < 600; i++)); do
		! grep -qE "^$1 *\$" "$EVENTS" || return 0
		sleep 0.1
	done
	fail "no event '$1' in 60 s, but: $(tr '\n' ';' <"$EVENTS")"
}
