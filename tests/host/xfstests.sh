#!/bin/bash
# xfstests on arrays that shift all the time: a test that passes or is skipped on md raid5 does the same on par.
# subject: data
# timeout: 14400
# alone: yes
#
#   XFSTESTS=TREE             a built copy; without it the test is skipped
#   RAIDPAR_XFSTESTS=ARGS     arguments for its `check`; default: '-g generic/quick'
#   RAIDPAR_SUITE_FS=LIST     file systems; default: 'ext4 xfs'
#   RAIDPAR_SUITE=OPTIONS     options for tests/suites/beside (see its --help)
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
