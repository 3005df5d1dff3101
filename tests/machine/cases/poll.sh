#!/bin/bash
# poll(2) on gear and shift_state returns when they change, and not otherwise.
# subject: shift
. "$(dirname "$0")/../tools/par.sh"

on_spindles 3,5 24M
fill 8
cd /sys/block/md0/md/par

# speed KIB: let shifts copy KIB per second while the array is idle.
speed() { echo 512 >speed_min; echo "$1" >speed_max; }

# seen LINE: wait until poll has reported this line.
seen() {
	until_ok 180 grep -qx "$1" "$MACHINE_TMP/seen" || fail "poll.py has not seen '$1', but: $(tr '\n' ';' <"$MACHINE_TMP/seen")"
}

# shifting GEAR STATE: shift slowly, until the state has been seen.
shifting() {
	speed 512	# the previous state lasts for seconds
	echo "$1" >gear
	seen "shift_state $2"
	speed 200000
	seen "gear $1"
	seen "shift_state idle"
}

# watch COMMAND...: print what poll reports while the command runs.
watch() {
	local pid
	"$TOOLS/poll.py" gear shift_state >"$MACHINE_TMP/seen" &
	pid=$!
	seen ready
	"$@"
	kill "$pid"
	wait "$pid" || true
	SEEN=$(sed 1d "$MACHINE_TMP/seen")
}

watch nap 2
assert_eq "$SEEN" "" "woken though nothing changed"

watch shifting 3 down

fill 8
watch shifting 5 propagate
stop_par
cd /
rmdisks
