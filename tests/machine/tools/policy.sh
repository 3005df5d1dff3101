# shellcheck shell=bash
# Functions for tests of the policy: arrays of simulated hard disks in virtual time, loads, and the
# decisions of the policy.

# shellcheck source=power.sh
. "$(dirname "${BASH_SOURCE[0]}")/power.sh"

# policy_array LAYOUT [SIZE]: make an array of small disks with mechanics, and write all of it: a read of
# an unwritten row sends no request to a disk.
policy_array() {
	local layout=$1
	mkspindles "$(top_gear "$layout")" "${2:-32M}" preset=nas
	create_par "$layout" --chunk=64
	dd if=/dev/zero of="/dev/$MD" bs=1M oflag=direct status=none || true
	settle
}

# huge_array LAYOUT SECONDS:RATE:READS...: make an array of 16 TB disks without a write log, and a load for it, see
# series.py.
huge_array() {
	local layout=$1 span
	shift
	mkspindles "$(top_gear "$layout")" 16000900661248 preset=nearline
	create_par "$layout" --log-size=none
	span=$(blockdev --getsize64 "/dev/$MD")
	"$TOOLS/series.py" 120 "$span" 1 "$MACHINE_TMP/files" "$MACHINE_TMP/requests" "$@"
	send "$MACHINE_TMP/files"
	settle
}

# begin_anew: set the state in which policy-replay begins. The array is in its top gear, images are up to date, and
# the policy has seen nothing. The array is stopped once in the low gear, so that the policy does not count that sleep,
# and then in the top gear.
begin_anew() {
	local gear
	for gear in "$(low_gear "$LAYOUT")" "$(top_gear "$LAYOUT")"; do
		set_par gear "$gear"
		gear_is "$gear" 600
		settle
		reassemble_par
	done
}

# send TRACE [OPTION...]: send its requests to the array; none may fail. $MACHINE_TMP/load has the figures.
send() { "$TRACER" replay "$1" "/dev/$MD" --destroy "${@:2}" >"$MACHINE_TMP/load"; }

# load RATE SECONDS [WRITES]: send RATE random requests per second; WRITES percent are writes.
load() {
	"$TRACER" trace synth random --requests $(($1 * $2)) --seconds "$2" --reads $((100 - ${3:-0})) \
		--span "$(blockdev --getsize64 "/dev/$MD")" -o "$MACHINE_TMP/random"
	send "$MACHINE_TMP/random"
}

# ring_requests MIB MIB_S SECONDS: print writes of 256 KiB to a range of so many MiB in turn, again and again.
ring_requests() {
	awk -v ring="$1" -v rate="$2" -v seconds="$3" -v block=262144 'BEGIN {
		ring *= 1048576
		for (i = 0; i * block < seconds * rate * 1048576; i++)
			printf "%.0f w %.0f %d\n", i * block / rate / 1048576 * 1e9, i * block % ring / 512, block
	}'
}

# report_anew: reset the reports of all disks, except starts and stops. joules: print the energy of all disks since then.
report_anew() {
	local d
	for d in "${DISKS[@]}"; do echo 0 >"$SPINDLES/$d/report"; done
}
joules() {
	local d uj sum=0
	for d in "${DISKS[@]}"; do
		uj=$(awk '$1 == "energy_uj" { print $2 }' "$SPINDLES/$d/report")
		sum=$((sum + uj))
	done
	echo $((sum / 1000000))
}

# quick: set short times and low thresholds, so that the policy decides within half a minute.
quick() {
	set_par window_long 30
	set_par hold 10
	set_par break_even 20
	set_par down_threshold 10
	set_par up_threshold 20
}

# scatter_runs N: write 4 KiB to each of five stripes, so that some parity is on a sleeper, of each of N runs that were
# not used before, one in 8 s. The array is of five members with chunks of 64 KiB, and a run has 16 stripes, of 4 MiB.
NEXT_RUN=0
scatter_runs() {
	local n i
	for ((n = 0; n < $1; n++)); do
		for ((i = 0; i < 5; i++)); do
			dd if=/dev/urandom of="/dev/$MD" bs=4K count=1 oflag=direct seek=$(((16 * NEXT_RUN + i) * 64)) conv=notrunc \
				status=none
		done
		NEXT_RUN=$((NEXT_RUN + 1))
		nap 8
	done
}

# explains PATTERN: the array's explain file matches.
explains() { assert_match "$(par explain)" "$1" "explain"; }

# shifts_are N WHAT: the number of shifts since the array was started is N.
shifts_are() { assert_eq "$(par shifts)" "$1" "shifts, $2"; }

# trace: record each decision from now on; traced PATTERN: one of them matches.
TRACES=/sys/kernel/tracing/instances/policy
trace() {
	mountpoint -q /sys/kernel/tracing || mount -t tracefs tracefs /sys/kernel/tracing
	mkdir "$TRACES"
	echo 1 >"$TRACES/events/raid_par/par_decision/enable"
}
traced() { grep -qE "par_decision: $MD $1" "$TRACES/trace" || { tail "$TRACES/trace"; fail "no decision '$1'"; }; }
untrace() {
	echo 0 >"$TRACES/events/raid_par/par_decision/enable"
	rmdir "$TRACES"
}
