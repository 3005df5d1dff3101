#!/bin/bash
# xfstests on arrays that shift all the time: a test that passes or is skipped on md raid5 does the same on par.
# subject: data
# timeout: 14400
# alone: yes
#
#   XFSTESTS=TREE             a built copy; without it there is nothing to run
#   RAIDPAR_XFSTESTS=ARGS     what its `check` is to run: '-g generic/quick'
#   RAIDPAR_SUITE_FS=LIST     file systems: 'ext4 xfs'
#   RAIDPAR_SUITE=OPTIONS     for tests/suites/beside, whose --help tells them
set -euo pipefail

[ -n "${XFSTESTS:-}" ] || { echo "SKIP: XFSTESTS= names no built copy of xfstests"; exit 77; }
read -r -a filesystems <<<"${RAIDPAR_SUITE_FS:-ext4 xfs}"
read -r -a options <<<"${RAIDPAR_SUITE:-}"
read -r -a args <<<"${RAIDPAR_XFSTESTS:--g generic/quick}"
failed=0
for fs in "${filesystems[@]}"; do
	"$(dirname "$0")/../suites/beside" xfstests "$XFSTESTS" --fs "$fs" "${options[@]}" -- "${args[@]}" || failed=1
done
exit "$failed"
