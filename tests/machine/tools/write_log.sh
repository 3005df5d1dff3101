# shellcheck shell=bash
# What dm-log-writes has logged, played again up to flush after flush.

# ask COMMAND: write_log.py's answer is in ANSWER.
ask() {
	echo "$1" >&"${REPLAY[1]}"
	read -r ANSWER <&"${REPLAY[0]}" || fail "write_log.py has died"
}

# replay DEVICE POINTS LOOK [ARG...]: what /dev/log holds, onto DEVICE. LOOK is
# called at POINTS (or all) of its flushes from the mark "made" on, and at the end,
# POINT telling where; it may `ask` on the way. Their number is in LOOKED.
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
	assert_eq "$looked" $((chosen + 1)) "flush points that were looked at, and the end"
	[ "$points" = all ] || assert_le "$points" "$chosen" "flush points that there are"
}
