# shellcheck shell=bash
# Functions for tests of paradm on real arrays.

# shellcheck source=par.sh
. "$(dirname "${BASH_SOURCE[0]}")/par.sh"

PARADM=$(cd "$TOOLS/../../.." && pwd)/build/tools/debug/paradm

# ask WANTED ARGUMENT...: run paradm, which ends with that exit code; SAID has its output and its errors.
ask() {
	local wanted=$1 code=0
	shift
	SAID=$("$PARADM" "$@" 2>&1 </dev/null) || code=$?
	[ "$code" = "$wanted" ] || fail "paradm $*: exit code $code, wanted $wanted: $SAID"
}

# says PATTERN ARGUMENT...: paradm succeeds, and its output matches PATTERN.
says() {
	local pattern=$1
	shift
	ask 0 "$@"
	assert_match "$SAID" "$pattern" "paradm $*"
}

# refuses CODE PATTERN ARGUMENT...: paradm ends with that exit code, and gives the reason in one line.
refuses() {
	local code=$1 pattern=$2
	shift 2
	ask "$code" "$@"
	assert_match "$SAID" "^paradm: [^"$'\n'"]*$pattern" "paradm $*"
}

# json FILTER ARGUMENT...: set JSON to the result of a jq filter on paradm's JSON document.
json() {
	local filter=$1
	shift
	ask 0 "$@" --json
	# shellcheck disable=SC2034  # for the caller
	JSON=$(jq -r "$filter" <<<"$SAID")
}
