#!/bin/bash
# blktests on arrays that shift all the time: a test that passes or is skipped on md raid5 does the same on par.
# subject: data
# timeout: 3600
# alone: yes
#
#   BLKTESTS=TREE             a built copy; without it the test is skipped
#   RAIDPAR_BLKTESTS=ARGS     arguments for its `check`; default: 'md' and the tests in
#                             'block' that take a device
#   RAIDPAR_SUITE=OPTIONS     options for tests/suites/beside (see its --help)
set -euo pipefail

[ -n "${BLKTESTS:-}" ] || { echo "SKIP: BLKTESTS= names no built copy of blktests"; exit 77; }
read -r -a options <<<"${RAIDPAR_SUITE:-}"
read -r -a args <<<"${RAIDPAR_BLKTESTS:-}"
[ "${#args[@]}" -gt 0 ] || mapfile -t args < <(echo md; cd "$BLKTESTS/tests" && grep -lE '^test_device\(' block/???)
exec "$(dirname "$0")/../suites/beside" blktests "$BLKTESTS" "${options[@]}" -- "${args[@]}"
