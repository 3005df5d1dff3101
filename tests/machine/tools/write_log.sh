# shellcheck shell=bash
# Replay a log of dm-log-writes up to one flush after another.

# ask COMMAND: set ANSWER to the answer of write_log.py.
ask() {
	echo "$1" >&"${REPLAY[1]}"
	read -r ANSWER <&"${REPLAY[0]}" || fail "write_log.py has died"
}

# replay DEVICE POINTS LOOK [ARG...]: replay the log in /dev/log onto DEVICE. LOOK is called at POINTS
# (or all) of the flushes after the mark "made", and at the end; POINT is the position in the log. LOOK
# may call `ask`. LOOKED is the number of calls.
replay() {
	local device=$1 points=$2 looked=0 chosen commands
	shift 2
	coproc REPLAY { exec "$TOOLS/write_log.py" /dev/log "$device" --after made --points "$points" --seed 3; }
	while ask next; [[ $ANSWER != end* ]]; do
		# shellcheck disable=SC2034  # variables for scripts that source this file
		POINT=$ANSWER
		"$@"
		looked=$((looked + 1))
	done
	# shellcheck disable=SC2034  # for the caller
	LOOKED=${ANSWER#end }
	chosen=${LOOKED% of *}
	commands=${REPLAY[1]}
	exec {commands}>&-
	assert_eq "$looked" $((chosen + 1)) "flush points that were examined, and the end"
	[ "$points" = all ] || assert_le "$points" "$chosen" "flush points in the log"
}
