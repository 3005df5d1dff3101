# shellcheck shell=bash
# Functions for tests of the harness: run a command, and check its status and output.

MACHINE=$(cd "$(dirname "${BASH_SOURCE[0]}")/../machine" && pwd)/run

fail() { printf 'FAILED: %s\n' "$*" >&2; exit 1; }

# run_for STATUS COMMAND...: the command's exit status must be STATUS; OUTPUT has its output. If no
# mirror has the kernel (status 69), the test is skipped.
run_for() {
	local want=$1 rc=0
	shift
	OUTPUT=$("$@" 2>&1) || rc=$?
	[ "$rc" != 69 ] || { tail -n 1 <<<"$OUTPUT"; exit 69; }
	[ "$rc" = "$want" ] || fail "$*: status $rc, want $want; it said: $OUTPUT"
}

says() { [[ $OUTPUT == *"$1"* ]] || fail "should say '$1', but says: $OUTPUT"; }

# complains KIND OPTION...: a machine fails if its kernel log has this report, whatever the
# command's status, and the report is shown.
complains() {
	local kind=$1 report=$2
	shift 2
	run_for 99 "$MACHINE" --timeout 120 "$@" -- bash -c "
		echo 3 >/proc/sys/kernel/hung_task_timeout_secs
		modprobe complain && echo $kind >/sys/module/complain/parameters/what
		[ $kind != hang ] || sleep 10"
	says "$report"
	echo "$kind: found"
}
