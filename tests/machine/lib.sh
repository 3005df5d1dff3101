# shellcheck shell=bash
# Functions for scripts that run in a test machine. A test begins with
#
#   set -euo pipefail
#   . "$(dirname "$0")/../lib.sh"
#
# and fails by any command that fails, or by `fail`.

CONFIGFS=/sys/kernel/config/nullb
SPINDLES=/sys/kernel/config/spindle
# shellcheck disable=SC2034 # for scripts that source this file
TRACER=$RAIDPAR_TOP/build/tools/debug/raid-tracer # of tests that need raid-tracer
DISKS=()   # names of the disks that mkdisks and mkspindles made
DEVS=()    # and their device nodes

note() { printf '# %s\n' "$*"; }
fail() { printf 'FAILED: %s\n' "$*" >&2; exit 1; }
skip() { printf 'SKIP: %s\n' "$*"; exit 77; }

# mkdisks COUNT SIZE [ATTRIBUTE=VALUE...]: add memory-backed disks at the end of DISKS and DEVS.
# SIZE as 256M or 16T: memory is allocated for written data only. The attributes are null_blk's,
# for instance blocksize=4096, cache_size=8 (MiB of volatile cache), rotational=1,
# completion_nsec=8000000 with irqmode=2.
mkdisks() {
	local count=$1 size=$2 i
	shift 2
	for ((i = 0; i < count; i++)); do
		mkdisk "nullb${#DISKS[@]}" "$size" "$@"
	done
}

mkdisk() {
	local name=$1 size=$2 dir=$CONFIGFS/$1 setting
	shift 2
	mkdir "$dir"
	echo $(($(numfmt --from=iec "$size") >> 20)) >"$dir/size"
	echo 1 >"$dir/memory_backed"
	echo 1 >"$dir/discard"
	for setting in "$@"; do
		echo "${setting#*=}" >"$dir/${setting%%=*}"
	done
	echo 1 >"$dir/power"
	DISKS+=("$name")
	DEVS+=("/dev/$name")
}

# mkspindles COUNT SIZE [ATTRIBUTE=VALUE...]: the same with disks that can lose power: see
# Documentation/spindle.md.
mkspindles() {
	local count=$1 size=$2 i
	shift 2
	modprobe spindle
	for ((i = 0; i < count; i++)); do
		mkspindle "spin${#DISKS[@]}" "$size" "$@"
	done
}

# of_disks COUNTER: the sum of this counter in the reports of all spindles: reads, writes
of_disks() {
	local d count sum=0
	for d in "${DISKS[@]}"; do
		count=$(sed -n "s/^$1 //p" "$SPINDLES/$d/report")
		sum=$((sum + count))
	done
	echo "$sum"
}

mkspindle() {
	local name=$1 size=$2 dir=$SPINDLES/$1 setting
	shift 2
	mkdir "$dir"
	for setting in "size=$(($(numfmt --from=iec "$size") >> 20))" "$@" online=1; do
		echo "${setting#*=}" >"$dir/${setting%%=*}"
	done
	DISKS+=("$name")
	DEVS+=("/dev/$name")
}

# slow_disks US [NUMBER...]: each request to these spindles of DISKS, or to all, takes up to so long from now on.
slow_disks() {
	local d us=$1
	shift
	[ $# -gt 0 ] || set -- "${!DISKS[@]}"
	for d; do echo "$us" >"$SPINDLES/${DISKS[d]}/delay_us"; done
}

# rmdisks: remove all disks of both kinds. They must not be in use.
rmdisks() {
	local name
	for name in "${DISKS[@]}"; do
		if [ -d "$SPINDLES/$name" ]; then
			rmdir "$SPINDLES/$name"
		else
			echo 0 >"$CONFIGFS/$name/power"
			rmdir "$CONFIGFS/$name"
		fi
	done
	DISKS=()
	DEVS=()
}

# requests NAME: print the number of requests that the disk has completed: reads, writes, discards
# and flushes.
requests() {
	local stat
	read -r -a stat <"/sys/block/$1/stat"
	echo $((stat[0] + stat[4] + stat[11] + stat[15]))
}

# sectors_of NAME: print the number of sectors read, written and discarded.
sectors_of() {
	local stat
	read -r -a stat <"/sys/block/$1/stat"
	echo $((stat[2] + stat[6] + stat[13]))
}

assert_eq() { [ "$1" = "$2" ] || fail "$3: got '$1', want '$2'"; }
assert_ne() { [ "$1" != "$2" ] || fail "$3: got '$1', which it must not be"; }
assert_le() { [ "$1" -le "$2" ] || fail "$3: got $1, want at most $2"; }
assert_match() { [[ $1 =~ $2 ]] || fail "$3: '$1' does not match '$2'"; }

# refused COMMAND...: the command must fail; REFUSAL has its message.
refused() {
	# shellcheck disable=SC2034  # for the caller
	if REFUSAL=$("$@" 2>&1); then fail "accepted, but should be refused: $*"; fi
}

# nap SECONDS: sleep without starting a process.
exec {NAP}<> <(:)
nap() { read -rt "$1" -u "$NAP" || true; }

# until_ok SECONDS COMMAND...: wait until the command succeeds; fails after that time.
until_ok() {
	local deadline=$((SECONDS + $1 * ${RAIDPAR_SLOW:-1}))
	until "${@:2}"; do
		[ "$SECONDS" -le "$deadline" ] || return 1
		nap 0.1
	done
}

# ms_of COMMAND...: run the command, and set MS to its duration in ms.
ms_of() {
	local start=${EPOCHREALTIME/./}
	"$@"
	# shellcheck disable=SC2034  # for the caller
	MS=$(((${EPOCHREALTIME/./} - start) / 1000))
}

# has_ended PID: a command in the background has.
has_ended() { ! kill -0 "$1" 2>/dev/null; }

# wait_for FILE VALUE [SECONDS]: wait until its first line matches VALUE, a pattern; 180 s, and longer if the host is
# known to be slow. A poll starts no process, because simulated time has many polls.
wait_for() {
	local file=$1 want=$2 seconds=$((${3:-180} * ${RAIDPAR_SLOW:-1})) deadline got
	deadline=$((SECONDS + seconds))
	while [ "$SECONDS" -le "$deadline" ]; do
		got=
		IFS= read -r got 2>/dev/null <"$file" || true
		# shellcheck disable=SC2053  # a pattern
		[[ $got != $want ]] || return 0
		nap 0.1
	done
	fail "$file: still '$got' after $seconds s, want '$want'"
}

# stop_all: unmount all file systems on md and stop every array.
stop_all() {
	local dev
	for dev in /dev/md[0-9]*; do
		[ -b "$dev" ] || continue
		umount "$dev" 2>/dev/null || true
	done
	mdadm --stop --scan
}
