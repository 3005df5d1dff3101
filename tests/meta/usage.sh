#!/bin/bash
# Wrong arguments are refused with status 2 and one clear line.
set -euo pipefail
. "$(dirname "$0")/lib.sh"

wrong() {
	run_for 2 "$@"
	[ "$(wc -l <<<"$OUTPUT")" = 1 ] || fail "$*: more than a line: $OUTPUT"
}

wrong "$MACHINE"
wrong "$MACHINE" --
wrong "$MACHINE" --colour red -- true
wrong "$MACHINE" --mem -- true
wrong "$MACHINE" --mem lots -- true
wrong "$MACHINE" --kernel 2.4 -- true
wrong "$MACHINE" --kernel 7.2 --time-travel -- true
wrong "$MACHINE" --kernel stock-5.10 -- true
wrong "$MACHINE" --kernel stock-6.12 --debug -- true
wrong "$MACHINE" --icount -- true
wrong "$MACHINE" --mdadm 3.0 -- true
wrong "$MACHINE" --timeout soon -- true
wrong scripts/build-kernel
wrong scripts/build-kernel 2.4
wrong scripts/build-module 2.4
wrong scripts/deb-source
wrong scripts/into-kernel-tree
wrong scripts/stock-kernel
wrong scripts/stock-kernel 5.10
wrong scripts/in-root
wrong scripts/in-root --layer
wrong scripts/check-layout
wrong scripts/kernel-patch
wrong tests/run -k no-test-has-this-name
echo "all refused"
