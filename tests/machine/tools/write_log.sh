# shellcheck shell=bash
# Replay a log of dm-log-writes up to one flush after another.

MNT=/mnt/replayed
export DM_DISABLE_UDEV=1

# make_fs TYPE DEVICE: make a file system there without a discard, and mount it. check_fs TYPE DEVICE: its own checker finds no
# error.
make_fs() {
	case $1 in
	ext4) mkfs.ext4 -q -F -E nodiscard "$2" ;;
	xfs) mkfs.xfs -q -f -K "$2" ;;
	esac
	mkdir -p "$MNT"
	mount "$2" "$MNT"
}
check_fs() {
	case $1 in
	ext4) e2fsck -fn "$2" ;;
	xfs) xfs_repair -n "$2" ;;
	esac >"$MACHINE_TMP/check" 2>&1 || fail "$1 at $POINT: $(cat "$MACHINE_TMP/check")"
}

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
