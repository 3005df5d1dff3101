#!/bin/bash
# A long build says each half minute that it goes on and what it does; a short one, and what comes after either, says nothing more.
# subject: build
set -euo pipefail
. "$(dirname "$0")/../../scripts/lib.sh"

dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
# shellcheck disable=SC2016,SC2034  # for the other shell
said=$(PROGRESS=1 bash -c '. "$0/scripts/lib.sh"; run_logged "$1/log" slow bash -c "echo CC md.o; sleep 2.5"; sleep 1.5; echo after >&2' "$TOP" "$dir" 2>&1)
grep -q 'slow: [0-9]* s, 1 lines of output, the last: CC md.o$' <<<"$said" || { echo "no progress: $said"; exit 1; }
[ "$(tail -n 1 <<<"$said")" = after ] && grep -q 'slow: done in' <<<"$said" || { echo "not ended: $said"; exit 1; }
[ "$(sed '1,/done in/d' <<<"$said")" = after ] || { echo "it goes on after the end: $said"; exit 1; }
# shellcheck disable=SC2016
said=$(PROGRESS=5 bash -c '. "$0/scripts/lib.sh"; run_logged "$1/log" quick true' "$TOP" "$dir" 2>&1)
[ "$(wc -l <<<"$said")" = 2 ] || { echo "a quick one says more: $said"; exit 1; }
# A function that waits for its jobs does not wait for the teller, and one that exits leaves it no work.
# shellcheck disable=SC2016
said=$(PROGRESS=1 timeout 20 bash -c '. "$0/scripts/lib.sh"; f() { true & wait; exit 4; }; run_logged "$1/log" waiting f' "$TOP" "$dir" 2>&1) && status=0 || status=$?
[ "$status" = 4 ] || { echo "status $status: $said"; exit 1; }
# shellcheck disable=SC2016
! said=$(PROGRESS=1 timeout 20 bash -c '. "$0/scripts/lib.sh"; run_logged "$1/log" failing bash -c "sleep 1.5; exit 3"' "$TOP" "$dir" 2>&1) ||
	{ echo "a failure is none: $said"; exit 1; }
