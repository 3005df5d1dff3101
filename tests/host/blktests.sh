#!/bin/bash
# blktests on arrays that shift all the time: a test that passes or is skipped on md raid5 does the same on par.
# subject: data
# timeout: 3600
# alone: yes
#
#   BLKTESTS=TREE             a built copy; without it there is nothing to run
#   RAIDPAR_BLKTESTS=ARGS     what its `check` is to run: 'md' and the tests in
#                             'block' that take a device
#   RAIDPAR_SUITE=OPTIONS     for tests/suites/beside, whose --help tells them
set -euo pipefail

[ -n "${BLKTESTS:-}" ] || { echo "SKIP: BLKTESTS= names no built copy of blktests"; exit 77; }
read -r -a options <<<"${RAIDPAR_SUITE:-}"
read -r -a args <<<"${RAIDPAR_BLKTESTS:-}"
[ "${#args[@]}" -gt 0 ] || mapfile -t args < <(echo md; cd "$BLKTESTS/tests" && grep -lE '^test_device\(' block/???)
exec "$(dirname "$0")/../suites/beside" blktests "$BLKTESTS" "${options[@]}" -- "${args[@]}"
