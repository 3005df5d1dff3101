#!/bin/bash
# Writers, shifts, checks, members that leave and return, and readers of every file on every CPU, all at once, leave data and parity right.
# subject: life
# again: --kernel 7.2
# timeout: 400
. "$(dirname "$0")/../tools/par.sh"

: "${RAIDPAR_STRESS_SECONDS:=20}"	# of each layout, and more until enough has happened
MOST_SECONDS=600
SHIFTS=6
RETURNS=3
STOP=$MACHINE_TMP/stop
FIO_LOG=$MACHINE_TMP/fio.log
SHADOW=$MACHINE_TMP/shadow
SHADOW_MIB=12

running() { [ ! -e "$STOP" ]; }
nap_up_to() { nap "$((RANDOM % $1)).$((RANDOM % 10))"; }
any_of() { local all=("$@"); ANY=${all[RANDOM % $#]}; }

# put VALUE FILE: write a sysfs file; errors are ignored, since the array may refuse a value at times.
put() { { echo "$1" >"/sys/block/$MD/md/$2"; } 2>/dev/null || true; }

# Some shifts finish, others are overtaken by the next one.
shifter() {
	local all deadline
	read -r -a all < <(gears "$LAYOUT")
	while running; do
		any_of "${all[@]}"
		put "$ANY" par/gear
		any_of 0 0 8 8 8
		deadline=$((SECONDS + ANY))
		nap 0.1
		get shift_state
		while [ "$GOT" != idle ] && [ "$SECONDS" -lt $deadline ]; do
			nap 0.1
			get shift_state
		done
	done
}

# Start checks, and interrupt many of them. The array does not shift down during a check or
# while a member is missing: leave time for shifts.
checker() {
	while running; do
		nap_up_to 12
		put check sync_action
		any_of 0.1 0.5 1
		nap "$ANY"
		put idle sync_action
	done
}

leave() {
	manage --fail "$1"
	wait_for "/sys/block/$MD/md/dev-${1#/dev/}/slot" none
	manage --remove "$1"
}

# With all members whole, the array shifts: leave time for some shifts.
let_shift() {
	local before deadline=$((SECONDS + 8))
	get shifts
	before=$GOT
	while running && [ "$SECONDS" -le "$deadline" ] && [ $((GOT - before)) -lt $((RANDOM % 4 + 1)) ]; do
		nap 0.1
		get shifts
	done
}

# One member after another leaves, in any gear, and returns: with its old content, or as a new
# disk.
changer() {
	local n=0 member
	while running; do
		any_of "${DEVS[@]}"
		member=$ANY
		leave "$member"
		any_of 0 0.2 1
		nap "$ANY"
		if [ $((n % 3)) = 2 ]; then
			mdadm --zero-superblock "$member"
			manage --add "$member"
		else
			manage --re-add "$member"
		fi
		wait_for "/sys/block/$MD/md/degraded" 0 120
		n=$((n + 1))
		echo "$n" >"$MACHINE_TMP/returned.new"
		mv "$MACHINE_TMP/returned.new" "$MACHINE_TMP/returned"	# never found empty
		let_shift
	done
}

detailer() {
	while running; do
		assert_match "$(mdadm --detail "/dev/$MD")" 'Raid Level : par' "mdadm --detail"
		mdadm --examine "${DEVS[0]}" >/dev/null 2>&1 || true	# it may just be new
	done
}

reader() {
	"$TOOLS/read_files.py" --until "$STOP" "/sys/block/$MD/md" "/sys/block/$MD/stat" \
		"/sys/block/$MD/inflight" /sys/module/raid_par /proc/mdstat /proc/partitions \
		>"$MACHINE_TMP/rounds"
}

# Each block carries its checksum, and fio reads it back. serialize_overlap prevents a read
# during a rewrite of the block, which fio would report as an error. On SIGINT fio ends as if
# its time were over.
fio_writer() {
	exec fio --output="$FIO_LOG" --filename="/dev/$MD" --direct=1 --verify=crc32c --verify_fatal=1 \
		--verify_backlog=32 --time_based --runtime=10000 \
		--clocksource=clock_gettime --rw=randwrite \
		--name=small --bs=4k --fsync=64 --offset=$((SHADOW_MIB + 1))m --size=4m \
		--name=large --bs=64k --ioengine=libaio --iodepth=8 --serialize_overlap=1 \
		--offset=$((SHADOW_MIB + 8))m --size=16m
}

shadow_writer() {
	"$TOOLS/shadow.py" "/dev/$MD" --seed "$SEED" --until "$STOP" \
		--mib $SHADOW_MIB --writers 4 --save "$SHADOW"
}

# The time that this takes depends on the host.
until_enough() {
	local start=$SECONDS returned=0
	while [ $((SECONDS - start)) -lt "$RAIDPAR_STRESS_SECONDS" ] ||
		[ "$GOT" -lt $SHIFTS ] || [ "$returned" -lt $RETURNS ]; do
		[ $((SECONDS - start)) -lt $MOST_SECONDS ] || break
		nap 0.5
		for i in "$@"; do kill -0 "$i" 2>/dev/null || return 0; done	# a worker has found an error
		get shifts
		read -r returned <"$MACHINE_TMP/returned"
	done
}

# Run all of them until enough has happened; a worker that finds an error fails.
all_at_once() {
	local pids=() names=(fio_writer shadow_writer shifter checker changer detailer reader) i bad=
	rm -f "$STOP"
	put 200000 par/speed_min	# or few shifts would ever end
	echo 0 >"$MACHINE_TMP/returned"
	for i in "${names[@]}"; do
		"$i" &
		pids+=($!)
	done
	GOT=0
	until_enough "${pids[@]}"
	: >"$STOP"
	kill -INT "${pids[0]}" 2>/dev/null || true
	wait "${pids[0]}" || true	# interrupted: the log has its result
	for i in {1..6}; do wait "${pids[i]}" || bad+=" ${names[i]}"; done
	[ -z "$bad" ] || fail "$LAYOUT:$bad"
	! grep -E 'verify:|error|bad' "$FIO_LOG" || fail "fio found errors"
	grep -q 'WRITE: bw=' "$FIO_LOG" || fail "fio has not written: $(<"$FIO_LOG")"
}

# Enough shifts, checks and returns have happened, on each CPU.
enough() {
	get shifts
	note "$GOT shifts, $(<"$MACHINE_TMP/returned") members came back; $(tr '\n' ' ' <"$MACHINE_TMP/rounds")"
	assert_le $SHIFTS "$GOT" "shifts"
	assert_le $RETURNS "$(<"$MACHINE_TMP/returned")" "members that returned"
	assert_eq "$(wc -l <"$MACHINE_TMP/rounds")" "$(nproc)" "CPUs that have read all files"
	! grep -q ' 0 rounds' "$MACHINE_TMP/rounds" || fail "a CPU has not read all files once"
}

right() {
	local sum gear
	shift_to "$(top_gear "$LAYOUT")"
	no_mismatch
	sum=$(fingerprint)
	for gear in $(down_and_up "$LAYOUT"); do
		shift_to "$gear"
		"$TOOLS/shadow.py" "/dev/$MD" --seed "$SEED" --check "$SHADOW"
		assert_eq "$(fingerprint)" "$sum" "content in gear $gear"
	done
}

stress() {
	all_at_once
	wait_for "/sys/block/$MD/md/sync_action" idle 120
	settle
	enough
	right
	stop_par
	dissect
	assemble_par
}

SEED=300
for layout in 2,3,5 raid6:4,6; do
	SEED=$((SEED + 1))
	with_par "$layout" 48M stress --chunk=64
done
