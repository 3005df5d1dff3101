# shellcheck shell=bash
# What the tests of paradm against real arrays share.

# shellcheck source=par.sh
. "$(dirname "${BASH_SOURCE[0]}")/par.sh"

PARADM=$(cd "$TOOLS/../../.." && pwd)/build/paradm/debug/paradm

# ask WANTED ARGUMENT...: paradm ends with that exit code; its output is left in SAID, with its errors.
ask() {
	local wanted=$1 code=0
	shift
	SAID=$("$PARADM" "$@" 2>&1 </dev/null) || code=$?
	[ "$code" = "$wanted" ] || fail "paradm $*: exit code $code, wanted $wanted: $SAID"
}

# says PATTERN ARGUMENT...: it is done, and says that.
says() {
	local pattern=$1
	shift
	ask 0 "$@"
	assert_match "$SAID" "$pattern" "paradm $*"
}

# refuses CODE PATTERN ARGUMENT...: it ends with that code, and says why in a line.
refuses() {
	local code=$1 pattern=$2
	shift 2
	ask "$code" "$@"
	assert_match "$SAID" "^paradm: [^"$'\n'"]*$pattern" "paradm $*"
}

# json FILTER ARGUMENT...: what jq makes of its document, into JSON.
json() {
	local filter=$1
	shift
	ask 0 "$@" --json
	# shellcheck disable=SC2034  # for the caller
	JSON=$(jq -r "$filter" <<<"$SAID")
}
