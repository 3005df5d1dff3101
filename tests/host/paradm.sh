#!/bin/bash
# paradm on simulated systems: its unit, property and golden tests; no lint of Cargo.toml is broken.
# timeout: 900
set -euo pipefail
. "$(dirname "$0")/../../scripts/lib.sh"

"$TOP/scripts/build-paradm" test
"$TOP/scripts/build-paradm" bench
paradm=$("$TOP/scripts/build-paradm")

# This machine may or may not have an array; an empty directory in place of its files has none.
empty=$(mktemp -d)
trap 'rm -rf "$empty"' EXIT
mkdir -p "$empty/sys/block"
[ "$("$paradm" --root "$empty" status)" = "no par array runs here" ]
status=0
"$paradm" --root "$empty" status md0 2>"$empty/said" || status=$?
[ "$status" = 3 ] && [ "$(cat "$empty/said")" = "paradm: md0 is not a running par array; there is none" ]
status=0
"$paradm" no-such-command 2>/dev/null || status=$?
[ "$status" = 2 ]
# A reader that stops after the first line does no harm.
"$paradm" --help | head -n 1 >/dev/null
