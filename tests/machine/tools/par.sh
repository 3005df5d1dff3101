# shellcheck shell=bash
# Functions for tests of par arrays, in addition to lib.sh. They use one array, $MD. A test with
# several arrays changes MD, which the functions read each time. A test fails by any command that fails.

# shellcheck disable=SC2034,SC2153  # variables for scripts that source this file

set -euo pipefail
TOOLS=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
# shellcheck source=../lib.sh
. "$TOOLS/../lib.sh"
MACHINE_TMP=${TMPDIR:-/tmp}

# The layouts that most tests run over.
LAYOUTS=('3,5' '3,8' '3,5,8' 'raid6:4,8' 'raid0:2,5')
MD=md0
PAR=/sys/block/$MD/md/par	# of a test with one array

# par FILE prints a sysfs file of the array, get FILE sets GOT to its content. get starts no process: in
# a test machine a process costs as much as a hundred requests.
get() { read -r GOT <"/sys/block/$MD/md/par/$1"; }
par() { get "$1"; echo "$GOT"; }

# gears LAYOUT: print its gears, the lowest first; low_gear, top_gear: print the lowest or highest.
gears() { local list=${1#*:}; echo "${list//,/ }"; }
low_gear() { local list=${1#*:}; echo "${list%%,*}"; }
top_gear() { echo "${1##*,}"; }

# parities LAYOUT: print their number.
parities() { case $1 in raid6*) echo 2 ;; raid0*) echo 0 ;; *) echo 1 ;; esac; }

# down_and_up LAYOUT: print the gears from below the top gear down to the lowest and up again.
down_and_up() {
	local all i
	read -r -a all < <(gears "$1")
	for ((i = ${#all[@]} - 2; i > 0; i--)); do echo "${all[i]}"; done
	printf '%s\n' "${all[@]}"
}

# The share of images that create_par asks for, so that an array of large disks, too, is one without slots: most tests are
# about these. --image-share=SHARE as an OPTION takes its place. Empty: mdadm's default, as is due in a test of what users
# get, and for --assume-clean of an array with slots.
IMAGES=100

# create_par LAYOUT [OPTION...]: create an array on all disks of DEVS.
create_par() {
	local layout=$1
	shift
	LAYOUT=$layout
	mdadm --create "/dev/$MD" --quiet --run --level=par --layout="$layout" ${IMAGES:+"--image-share=$IMAGES"} \
		--raid-devices="${#DEVS[@]}" "$@" "${DEVS[@]}" </dev/null
}

# create_shared SHARE LAYOUT [OPTION...]: the same, with images of SHARE percent, and with many small tracts, for which
# mdadm has no option: its --image-share leaves the tracts at 1 GiB. LOG: the sectors of a write log on each member; STEADY:
# those of each member that never sleeps, as mdadm takes them from the devices for a share that it is given.
create_shared() {
	local share=$1 uuid=a5a5a5a5:a5a5a5a5:a5a5a5a5:a5a5a5a5
	shift
	"$TOOLS/birth.py" --log "${LOG:-0}" --tract "${TRACT:-16384}" --steady "${STEADY:-0}" \
		"$share" "${uuid//:/}" 2048 "${DEVS[@]}"
	create_par "$@" --data-offset=1M --uuid=$uuid
}

# put_file NAME MIB, same_file NAME MIB WHEN: write 8 MiB of random data there and keep them as a file, compare with the
# file.
put_file() {
	dd if=/dev/urandom of="$MACHINE_TMP/$1" bs=1M count=8 status=none
	dd if="$MACHINE_TMP/$1" of="/dev/$MD" bs=1M seek="$2" oflag=direct conv=fsync,notrunc status=none
}
same_file() {
	dd if="/dev/$MD" bs=1M skip="$2" count=8 iflag=direct status=none | cmp - "$MACHINE_TMP/$1" || fail "content of $1 $3"
}

# put BYTES FIRST COUNT: write random data, in blocks of BYTES, to the array and to $MODEL, a file with what its first $MIB
# MiB should be. is_right WHEN: they are. same_as_model MIB AT: are these MiB?
MODEL=$MACHINE_TMP/model
CONV=notrunc,fsync
put() {
	dd if=/dev/urandom of="$MODEL" bs="$1" seek="$2" count="$3" conv=notrunc status=none
	dd if="$MODEL" of="/dev/$MD" bs="$1" skip="$2" seek="$2" count="$3" oflag=direct conv="$CONV" status=none
}
same_as_model() {
	cmp <(dd if="/dev/$MD" bs=1M count="$1" skip="$2" iflag=direct status=none) \
		<(dd if="$MODEL" bs=1M count="$1" skip="$2" status=none)
}
is_right() { begins_with "$MODEL" "$MIB" || fail "$LAYOUT: not what was written: $1"; }

# small_writes RATE WRITERS: write 4 KiB anywhere in the array, RATE a second, until $MACHINE_TMP/end exists; print the
# longest time of a write in ms.
small_writes() { "$TOOLS/small_writes.py" "/dev/$MD" "$MACHINE_TMP/end" "$@"; }

# with_par LAYOUT SIZE FUNCTION [OPTION...]: create an array on new disks, call FUNCTION, stop the array,
# remove the disks.
with_par() {
	local layout=$1 size=$2 body=$3
	shift 3
	note "$layout${*:+ $*}"
	mkdisks "$(top_gear "$layout")" "$size"
	create_par "$layout" "$@"
	"$body"
	stop_par
	rmdisks
}

# on_disks, on_spindles LAYOUT SIZE [ATTRIBUTE=VALUE...]: an array with chunks of 64 KiB on new disks of this kind.
on_disks() { mkdisks "$(top_gear "$1")" "${@:2}"; create_par "$1" --chunk=64; }
on_spindles() { mkspindles "$(top_gear "$1")" "${@:2}"; create_par "$1" --chunk=64; }

# end_par: stop the array, and remove its disks. end_dissected: the same, but examine them before.
end_par() { stop_par; rmdisks; }
end_dissected() { stop_par; dissect; rmdisks; }

# fill_all: write all of the array, and wait until nothing is left to do.
fill_all() {
	dd if=/dev/zero of="/dev/$MD" bs=1M oflag=direct status=none 2>/dev/null || true
	settle
}

stop_par() { mdadm --stop --quiet "/dev/$MD"; }
assemble_par() { mdadm --assemble --quiet "/dev/$MD" "${DEVS[@]}"; }
reassemble_par() { stop_par; assemble_par; }

# auto_read_only COMMAND...: an array that the command starts does not become writable before its first write.
START_RO=/sys/module/md_mod/parameters/start_ro
auto_read_only() { echo 1 >$START_RO; "$@"; echo 0 >$START_RO; }

# spin N: wait for a moment that grows with N.
spin() { local i; for ((i = 0; i < $1; i++)); do :; done; }

# give_up_soon: a member that does not wake up fails after two seconds instead of two minutes.
give_up_soon() { echo 1 >"/sys/block/$MD/md/par/wake_timeout"; }

# manage OPTION...: run mdadm on the array; its messages are shown only if it fails.
manage() {
	local said
	said=$(mdadm --quiet "/dev/$MD" "$@" 2>&1) || fail "mdadm $*: $said"
}

# detached NUMBER...: wait until these failed disks of DISKS have no place in the array any more. Before
# that md may refuse to remove them.
detached() {
	local d
	for d in "$@"; do wait_for "/sys/block/$MD/md/dev-${DISKS[d]}/slot" none; done
}

# take_out NUMBER...: fail these disks of DISKS and remove them.
take_out() {
	local d
	for d; do
		manage --fail "${DEVS[d]}"
		detached "$d"
		manage --remove "${DEVS[d]}"
	done
}

# all_up WHEN: no member has failed.
all_up() { assert_match "$(</proc/mdstat)" "\\[${#DEVS[@]}/${#DEVS[@]}\\] \\[U+\\]" "$1: mdstat"; }

# others NUMBER...: set OTHERS to the devices of all members but these.
others() {
	local d
	OTHERS=()
	for d in "${!DEVS[@]}"; do [[ " $* " == *" $d "* ]] || OTHERS+=("${DEVS[d]}"); done
}

# start_without NUMBER...: start the array without these members.
start_without() { others "$@"; mdadm --assemble --quiet --run "/dev/$MD" "${OTHERS[@]}"; }

# wait_whole: wait until no member is missing or being rebuilt.
wait_whole() {
	wait_for "/sys/block/$MD/md/degraded" 0 300
	wait_for "/sys/block/$MD/md/sync_action" idle 300
}

# put_in NUMBER: add this disk of DISKS, and wait until it is a whole member.
put_in() { manage --add "${DEVS[$1]}"; wait_whole; }

# sync_now ACTION: request it, and wait until it has ended.
sync_now() { echo "$1" >"/sys/block/$MD/md/sync_action"; wait_for "/sys/block/$MD/md/sync_action" idle 300; }

# no_mismatch: a check of all sets whose members are awake finds all parity right.
no_mismatch() {
	sync_now check
	assert_eq "$(<"/sys/block/$MD/md/mismatch_cnt")" 0 "$MD: mismatches"
}

# power_cut SEED: cut the power of all spindle disks at one instant, stop the array, as a crash of the
# machine would, and switch the power on again.
power_cut() {
	echo "$1" >"$SPINDLES/cut"
	stop_par
	echo all >"$SPINDLES/restore"
}

# crash SEED: the same, and assemble the array again.
crash() { power_cut "$1"; assemble_par; }

# ring_bytes MIB: print the size of a log of MIB on each of three members, without copies and summaries (see log-place.c).
ring_bytes() {
	local summaries=$(($1 * 3 * 4)) # KiB
	# shellcheck disable=SC2017  # whole units
	echo $((($1 * 1024 - summaries) / 512 * 3 / 2 * 524288))
}

# set_sync FILE VALUE: for a moment after sync_action is idle, md refuses limits (EBUSY).
set_sync() {
	local tries
	for ((tries = 0; tries < 50; tries++)); do
		{ echo "$2" >"/sys/block/$MD/md/$1"; } 2>/dev/null && return
		sleep 0.1
	done
	echo "$2" >"/sys/block/$MD/md/$1"
}

# sync_at SECTOR: wait until the check or rebuild has reached this sector.
sync_at() {
	local at deadline=$((SECONDS + 120))
	while read -r at _ <"/sys/block/$MD/md/sync_completed" && { [[ $at != [0-9]* ]] || [ "$at" -lt "$1" ]; }; do
		[ "$SECONDS" -le "$deadline" ] || fail "$MD: sync_completed is still '$at', want $1"
		nap 0.1
	done
}

# settle: wait until the mover has nothing left to do.
settle() {
	local quiet=0 gear deadline=$((SECONDS + 180))
	while [ "$quiet" -lt 3 ]; do
		[ "$SECONDS" -le "$deadline" ] ||
			fail "$MD: still '$(par shift_state)', gear $(par gear), target $(par shift_target)"
		get gear
		gear=$GOT
		get shift_target
		[ "$gear" = "$GOT" ] || quiet=-1
		get shift_state
		[ "$GOT" = idle ] || quiet=-1
		quiet=$((quiet + 1))
		nap 0.05
	done
}

# shift_to GEAR: shift, and wait until the array is in that gear and everything is propagated.
shift_to() {
	echo "$1" >"/sys/block/$MD/md/par/gear"
	settle
	get gear
	[ "$GOT" = "$1" ] || fail "gear $GOT, wanted $1; last error $(par shift_last_error)"
}

# mark_log; …; log_since: print the kernel messages in between. logged, not_logged PATTERN: one of them,
# or none, matches.
mark_log() { MARK=$(dmesg | wc -l); }
log_since() { dmesg | tail -n +$((MARK + 1)); }
logged() { assert_match "$(log_since)" "$1" "kernel log"; }
not_logged() { [[ ! $(log_since) =~ $1 ]] || fail "kernel log: $(log_since | grep -E -e "$1")"; }

# listen: record uevents from now on in a file; heard PATTERN [SECONDS]: wait for a uevent that matches.
listen() {
	"$TOOLS/uevents.py" "$MD" >"$MACHINE_TMP/events" &
	wait_for_line ready
}
wait_for_line() {
	until_ok "${2:-60}" grep -qE "$1" "$MACHINE_TMP/events" || { cat "$MACHINE_TMP/events"; fail "no event '$1'"; }
}
heard() { wait_for_line "^$MD $1" "${2:-}"; }

# with_mdadms FUNCTION VERSION...: with the first of these patched mdadms that there is; with RAIDPAR_WHOLE=1 with each.
with_mdadms() {
	local version ran=0
	for version in "${@:2}"; do
		[ -x "$RAIDPAR_TOP/build/mdadm-$version/mdadm" ] || continue
		[ $ran = 0 ] || [ -n "${RAIDPAR_WHOLE:-}" ] || break
		note "mdadm $version"
		ran=1
		PATH=$RAIDPAR_TOP/build/mdadm-$version:$PATH
		assert_match "$(mdadm --version 2>&1)" "v$version" "mdadm"
		"$1"
	done
	[ $ran = 1 ] || fail "no mdadm"
}

# data_offset DEVICE: print the member's data offset in sectors; uuid_of DEVICE: print its array's UUID;
# both by md's superblock.
data_offset() { mdadm --examine "$1" | sed -n 's/^ *Data Offset : \([0-9]*\) sectors/\1/p'; }
uuid_of() { mdadm --examine --export "$1" | sed -n 's/^MD_UUID=//p'; }

# keep_supers NUMBER..., put_supers NUMBER...: copy both superblocks of raid-par on these disks to files, or back.
keep_supers() { copy_supers keep "$@"; }
put_supers() { copy_supers put "$@"; }
copy_supers() {
	local d at how=$1
	for d in "${@:2}"; do
		at=$(data_offset "${DEVS[d]}")
		if [ "$how" = keep ]; then
			dd if="${DEVS[d]}" of="$MACHINE_TMP/supers$d" bs=512 skip="$at" count=16 iflag=direct status=none
		else
			dd if="$MACHINE_TMP/supers$d" of="${DEVS[d]}" bs=512 seek="$at" oflag=direct conv=notrunc,fsync status=none
		fi
	done
}

# sleepers_stat GEAR: print all counters of the block layer for the members that sleep in that gear.
sleepers_stat() {
	local name stat
	for name in "${DISKS[@]:$1}"; do
		read -r stat <"/sys/class/block/$name/stat"
		echo "$name: $stat"
	done
}

# watch_sleepers; …; assert_asleep WHAT: no request of any kind has reached a sleeper in between.
watch_sleepers() { ASLEEP=$(sleepers_stat "$(par gear)"); }
assert_asleep() { assert_eq "$(sleepers_stat "$(par gear)")" "$ASLEEP" "requests to sleepers: $1"; }

# fingerprint [MIB]: print a checksum of the array's content or its beginning, read past the page cache.
# shellcheck disable=SC2120
fingerprint() {
	local mib=${1:-$((($(array_bytes) + 1048575) >> 20))} at count sums=
	# In pieces, through a file: a pipe takes ten times as long in a test machine.
	for ((at = 0; at < mib; at += 64)); do
		count=$((mib - at < 64 ? mib - at : 64))
		dd if="/dev/$MD" of="$MACHINE_TMP/piece" bs=1M skip=$at count=$count iflag=direct status=none || return
		sums+=$(b2sum <"$MACHINE_TMP/piece")
	done
	: >"$MACHINE_TMP/piece"
	[ "$mib" -le 64 ] || sums=$(b2sum <<<"$sums")
	echo "${sums%% *}"
}

# begins_with FILE MIB: compare the array's beginning, read past the page cache, with that of a file.
begins_with() {
	local rc=0
	dd if="/dev/$MD" of="$MACHINE_TMP/piece" bs=1M count="$2" iflag=direct status=none || return
	cmp -n $(($2 << 20)) "$1" "$MACHINE_TMP/piece" || rc=1
	: >"$MACHINE_TMP/piece"
	return "$rc"
}

# writes_so_far: print the sectors written to and discarded on each disk.
writes_so_far() {
	local name stat
	for name in "${DISKS[@]}"; do
		read -r -a stat <"/sys/block/$name/stat"
		echo "$name: ${stat[6]} ${stat[13]}"
	done
}

# fill MIB [AT]: write random data, from AT MiB on.
fill() {
	dd if=/dev/urandom of="/dev/$MD" bs=1M count="$1" seek="${2:-0}" oflag=direct \
		conv=fsync,notrunc status=none
}

array_bytes() { local n; read -r n <"/sys/block/$MD/size"; echo $((n << 9)); }
array_mib() { echo $(($(array_bytes) >> 20)); }

# dissect [OPTION...]: examine the disks of the stopped array: see dissect.py.
# shellcheck disable=SC2120  # options are optional
dissect() { "$TOOLS/dissect.py" "$@" "${DEVS[@]}"; }

# exercise SEED [OPTION...]: run shadow.py while the gear changes. Afterwards the content must be the
# same in every gear, and on the disks of the array stopped in its lowest gear. The array is left
# running in that gear.
exercise() {
	local seed=$1 gear save=$MACHINE_TMP/shadow
	shift
	"$TOOLS/shadow.py" "/dev/$MD" --seed "$seed" --ops 50 --mib 12 \
		--gears "/sys/block/$MD/md/par/gear" --save "$save" "$@"
	settle
	for gear in $(gears "$LAYOUT" | tr ' ' '\n' | tac); do
		shift_to "$gear"
		"$TOOLS/shadow.py" "/dev/$MD" --seed "$seed" --check "$save"
	done
	dd if="/dev/$MD" of="$MACHINE_TMP/content" bs=1M iflag=direct status=none
	stop_par
	dissect --compare "$MACHINE_TMP/content" --expect-gear "$gear"
	assemble_par
}
