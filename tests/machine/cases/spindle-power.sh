#!/bin/bash
# Spindle disks stop and start through runtime PM as disks of sd do: at the right time, for the right time, and with errors.
# machine: --debug --time-travel
. "$(dirname "$0")/../tools/par.sh"

pm() { echo "/sys/block/$1/device/power/$2"; }
get() { read -r GOT <"$SPINDLES/$1/$2"; }
set_to() { echo "$3" >"$SPINDLES/$1/$2"; }
assert_is() { get "$1" "$2"; assert_eq "$GOT" "$3" "$1: $2"; }
assert_pm() { read -r GOT <"$(pm "$1" "$2")"; assert_eq "$GOT" "$3" "$1: power/$2"; }

# read_from NAME [FLAG]: read 4 KiB past the page cache; only the disk takes time.
read_from() { dd if="/dev/$1" of=/dev/null bs=4k count=1 iflag=direct status=none; }

# took MS COMMAND...: the command takes MS, within the precision of nap.
took() {
	local want=$1 start=${EPOCHREALTIME/./} ms
	shift
	"$@"
	ms=$(((${EPOCHREALTIME/./} - start + 500) / 1000))
	assert_le "$want" "$ms" "milliseconds of: $*"
	assert_le "$ms" $((want + 120)) "milliseconds of: $*"
}

# asleep NAME: put the disk to sleep. With a delay of 0 it would fall asleep again before the
# request that has woken it is served.
asleep() {
	echo 1000 >"$(pm "$1" autosuspend_delay_ms)"
	echo auto >"$(pm "$1" control)"
	wait_for "$(pm "$1" runtime_status)" suspended
	wait_for "$SPINDLES/$1/state" standby
}

awake() { echo on >"$(pm "$1" control)"; }

note "as sd: nothing sleeps unless it is asked for"
mkspindles 2 64M spin_up_ms=15000 spin_down_ms=2000
assert_pm spin0 control on
assert_pm spin0 autosuspend_delay_ms -1
assert_pm spin0 runtime_status active
assert_is spin0 state idle
nap 1000
assert_is spin0 state idle
echo auto >"$(pm spin0 control)"
nap 1000
assert_is spin0 starts 0

note "an idle disk sleeps after the delay, and the content of its cache is on the media"
dd if=/dev/urandom of=/dev/spin0 bs=64k count=4 oflag=direct status=none
echo 60000 >"$(pm spin0 autosuspend_delay_ms)"
nap 59
assert_is spin0 state idle
# The kernel may take a quarter longer.
nap 19
assert_is spin0 state standby
assert_is spin0 dirty 0
assert_pm spin0 runtime_status suspended
for file in control runtime_status runtime_suspended_time; do cat "$(pm spin0 "$file")" >/dev/null; done
cat /sys/block/spin0/{size,stat} /proc/diskstats /proc/partitions >/dev/null
nap 1000
assert_is spin0 starts 0

note "a request wakes it"
took 15000 read_from spin0
assert_is spin0 starts 1
assert_pm spin0 runtime_status active

note "while it spins down it hears nothing"
echo 1000 >"$(pm spin0 autosuspend_delay_ms)"
wait_for "$SPINDLES/spin0/state" "spinning down"
took 16900 read_from spin0
asleep spin0
took 15000 awake spin0
assert_is spin0 state idle

note "two wake at once"
asleep spin0
asleep spin1
both() { awake spin0 & awake spin1; wait; }
took 15000 both

note "one start fails: the request that caused it returns an error; the next request succeeds"
asleep spin0
set_to spin0 fail_starts 2
set_to spin0 fail_start_ms 30000
fails() { ! read_from spin0 2>/dev/null; }
assert_is spin0 state standby
took 60000 fails
assert_pm spin0 runtime_status error
assert_is spin0 fail_starts 0
took 15000 read_from spin0
assert_is spin0 state idle
rmdisks

note "the power is cut while it spins up, and spins down"
mkspindles 1 64M spin_up_ms=15000 spin_down_ms=2000
wakes_and_fails() { echo 7 >"$SPINDLES/cut"; wait "$READER" && fail "a request survived"; true; }
for after in 0.5 14; do
	asleep spin0
	read_from spin0 2>/dev/null &
	READER=$!
	nap "$after"
	assert_is spin0 state "spinning up"
	took 0 wakes_and_fails
	assert_is spin0 state off
	echo all >"$SPINDLES/restore"
	assert_is spin0 state "spinning up"
	took 15000 read_from spin0
	awake spin0 2>/dev/null || true
	rmdisks
	mkspindles 1 64M spin_up_ms=15000 spin_down_ms=2000
done
echo 1000 >"$(pm spin0 autosuspend_delay_ms)"
echo auto >"$(pm spin0 control)"
wait_for "$SPINDLES/spin0/state" "spinning down"
echo 8 >"$SPINDLES/cut"
wait_for "$(pm spin0 runtime_status)" suspended
fails
echo all >"$SPINDLES/restore"
read_from spin0
rmdisks

# sleep_machine: suspend all devices, and resume them.
sleep_machine() {
	echo devices >/sys/power/pm_test
	echo mem >/sys/power/state
}

[ -e /sys/power/pm_test ] || exit 0
note "system sleep: afterwards all disks turn, or only those that did before"
for start in 1 0; do
	mkspindles 2 64M spin_up_ms=15000 spin_down_ms=2000 system_start="$start"
	asleep spin1
	sleep_machine
	nap 17
	assert_is spin0 starts 1
	assert_is spin0 state idle
	assert_is spin1 starts "$start"
	# Whether started or not, the idle disk sleeps again.
	wait_for "$SPINDLES/spin1/state" standby
	read_from spin1
	assert_is spin1 starts $((start + 1))
	rmdisks
done
