# shellcheck shell=bash
# Disks of sd for the tests of power, in place of spindle disks: disks of scsi_debug, in memory, that
# START STOP UNIT stops. A stopped disk answers NOT READY to every command. scsi_debug does not show
# whether a disk is stopped, so the state is derived from a trace of the SCSI layer, which has all
# commands. power.sh sources this file.

# shellcheck disable=SC2034  # variables for scripts that source this file

ADAPTERS=/sys/bus/pseudo/drivers/scsi_debug
TRACES=/sys/kernel/tracing/instances
SCSI_IDS=()	# of the DISKS: host:channel:target:lun
UP_MS=1000	# scsi_debug's START and STOP

# trace NAME EVENT FILTER: trace an event of the SCSI layer, in a separate buffer.
trace() {
	[ -d "$TRACES/$1" ] || mkdir "$TRACES/$1"
	echo 0 >"$TRACES/$1/events/scsi/enable"
	echo >"$TRACES/$1/trace"
	echo "$3" >"$TRACES/$1/events/scsi/$2/filter"
	echo 1 >"$TRACES/$1/events/scsi/$2/enable"
}

# mkscsi COUNT SIZE [OPTION=VALUE...]: add disks at the end of DISKS and DEVS; only once. OPTIONs are
# scsi_debug's. sd probes disks in parallel, so the order of their names varies.
mkscsi() {
	local count=$1 size=$2 i found deadline=$((SECONDS + 60))
	shift 2
	# With a delay of 20 us START STOP UNIT takes 1 s; without a delay it takes no time.
	modprobe scsi_debug add_host="$count" per_host_store=1 ndelay=20000 \
		dev_size_mb=$(($(numfmt --from=iec "$size") >> 20)) "$@"
	for ((i = 0; i < count; i++)); do
		found=("$ADAPTERS/adapter$i"/host*/target*/*:*/block/sd*)
		while [ ! -b "/dev/${found[0]##*/}" ]; do
			[ "$SECONDS" -le "$deadline" ] || fail "scsi_debug: no disk $i"
			nap 0.1
			found=("$ADAPTERS/adapter$i"/host*/target*/*:*/block/sd*)
		done
		DISKS+=("${found[0]##*/}")
		DEVS+=("/dev/${found[0]##*/}")
		SCSI_IDS+=("$(basename "${found[0]%/block/*}")")
	done
	trace starts scsi_dispatch_cmd_done 'opcode == 0x1b'
}

# rmscsi: remove all these disks and the traces, and empty DISKS and DEVS.
rmscsi() {
	local name
	modprobe -r scsi_debug
	for name in starts sent order; do [ ! -d "$TRACES/$name" ] || rmdir "$TRACES/$name"; done
	DISKS=()
	DEVS=()
	SCSI_IDS=()
}

# traced NAME: set LINES to the lines of the trace. The file is read as a whole: `read` would seek in
# it and lose lines.
traced() { mapfile -t LINES <<<"$(<"$TRACES/$1/trace")"; }

# commands D NAME: set COMMANDS to the events of the trace that belong to disk D.
commands() {
	local line
	COMMANDS=()
	traced "$2"
	for line in "${LINES[@]}"; do
		[[ $line != *"host_no=${SCSI_IDS[$1]%%:*} "* ]] || COMMANDS+=("$line")
	done
}

# disk D starts|state: print the value that a spindle disk has in this file.
disk() {
	local line starts=0 state=idle
	commands "$1" starts
	for line in "${COMMANDS[@]}"; do
		case $line in
		*status=SAM_STAT_GOOD*) ;;
		*) continue ;;
		esac
		case $line in
		*'raw=1b 0'[01]' 00 00 01 00'*) state=idle starts=$((starts + 1)) ;;
		*'raw=1b 00 00 00 00 00'*) state=standby ;;
		*) fail "an odd START STOP UNIT: $line" ;;
		esac
	done
	echo "${!2}"
}

# wait_state D STATE [SECONDS]
state_is() { [ "$(disk "$1" state)" = "$2" ]; }
wait_state() {
	until_ok "${3:-60}" state_is "$1" "$2" || fail "disk $1 (${DISKS[$1]}) is not $2"
}

# power_disks COUNT; power_disks_gone. The disks are small, because kmemleak reads all their memory, and
# because scsi_debug copies sector by sector, counting from the first sector each time.
power_disks() { mkscsi "$1" 24M sector_size=4096; }
power_disks_gone() { rmscsi; }

# sd D FILE: print an attribute of sd.
sd() { cat "/sys/class/scsi_disk/${SCSI_IDS[$1]}/$2"; }
set_sd() { echo "$3" >"/sys/class/scsi_disk/${SCSI_IDS[$1]}/$2"; }

# watch_commands: record all commands to sleepers from now on. sent D: print those to disk D, such as
# "stop start flush 28"; sent_none WHAT: no sleeper has received a command.
watch_commands() {
	trace sent scsi_dispatch_cmd_start "host_no >= ${SCSI_IDS[$(low_gear "$LAYOUT")]%%:*}"
}

sent() {
	local line all=()
	commands "$1" sent
	for line in "${COMMANDS[@]}"; do
		line=${line#*raw=}
		case $line in
		'1b 00 00 00 00 00'*) all+=(stop) ;;
		'1b 0'[01]' 00 00 01 00'*) all+=(start) ;;
		35* | 91*) all+=(flush) ;;
		*) all+=("${line:0:2}") ;;
		esac
	done
	echo "${all[*]}"
}

sent_none() {
	local d
	for d in $(sleepers); do assert_eq "$(sent "$d")" "" "$1: commands to disk $d"; done
}

# use_array: use the array in all ways that must not reach a sleeper.
use_array() {
	"$TOOLS/shadow.py" "/dev/$MD" --seed 1 --ops 30 --writers 2 --mib 12
	fill 1 12
	dd if=/dev/urandom of="/dev/$MD" bs=16k count=4 seek=800 conv=fsync,notrunc status=none
	sync
	blockdev --flushbufs "/dev/$MD"
	# raid-par's superblock and map
	set_par speed_min 4096
	set_par stop_after 30
	cat /proc/mdstat >/dev/null
	mdadm --detail "/dev/$MD" >/dev/null
	mdadm --detail --scan >/dev/null
	grep -r . "/sys/block/$MD/md/" >/dev/null 2>&1 || true
	nap 30
}

# start_events: record uevents in the file $EVENTS until EVENT_READER is killed. told EVENT [COUNT]: wait
# until the file has COUNT lines that match, for example "sleep MEMBER=4 .*".
EVENTS=/run/par-events
start_events() {
	"$TOOLS/uevents.py" "$MD" >"$EVENTS" &
	EVENT_READER=$!
	wait_for "$EVENTS" ready
}

has_told() { [ "$(grep -cE "^$MD $1\$" "$EVENTS")" -ge "$2" ]; }
told() {
	until_ok 10 has_told "$1" "${2:-1}" || fail "no uevent '$1', but: $(tr '\n' ';' <"$EVENTS")"
}
