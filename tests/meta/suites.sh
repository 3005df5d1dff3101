#!/bin/bash
# A result that a foreign suite has on par and not on raid5 is reported by name: a failure, a skip, a death, a hang.
# needs: 7.2
# rare: yes
# timeout: 400
set -euo pipefail
. "$(dirname "$0")/lib.sh"

BESIDE=$(cd "$(dirname "$0")/../suites" && pwd)/beside
mkdir -p build
WORK=$(mktemp -d "$PWD/build/suites.XXXX")
trap 'rm -rf "$WORK"' EXIT
export RAIDPAR_OUT=$WORK/out RAIDPAR_SUITE_DISK=64M RAIDPAR_SUITE_MACHINE="--kernel 7.2"

# shellcheck disable=SC2016  # for the machine
# suite LINE...: make a suite whose check runs these lines, with $kind and $done.
suite() {
	{
		printf '%s\n' '#!/bin/bash' 'kind=$(</sys/block/md0/md/level)' 'done=" $* "' 'sleep 9' "$@"
	} >"$WORK/check"
	chmod +x "$WORK/check"
}

# run_beside STATUS [SECONDS [OPTION]]
run_beside() { run_for "$1" "$BESIDE" blktests "$WORK" --jobs 2 --time "${2:-100}" "${@:3}"; }

suite 'echo "block/001 => md0 (is fine)  [passed]"'
run_beside 0
says 'on par: 1 passed'
says 'nothing is worse'

# shellcheck disable=SC2016  # for the machine
suite 'case $kind in par) one=failed two="not run" ;; *) one=passed two=passed ;; esac' \
	'echo "block/001 => md0 (fails on par)  [$one]"' 'echo "    a reason"' \
	'echo "block/002 => md0 (is skipped)  [$two]"' 'echo "block/003 (fails on both)  [failed]"'
run_beside 1
says 'block/001 md0  raid5  passed'
says 'par    failed   a reason'
says 'par    not run'
says 'fails on both: block/003'
says '2 tests are worse'

# Only tests that have not passed on par run on raid5.
# shellcheck disable=SC2016  # for the machine
suite 'echo "$kind is asked for:$done"' 'case $kind in par) one=failed ;; *) one=passed ;; esac' \
	'echo "block/001 => md0 (fails on par)  [$one]"' 'echo "block/002 (is skipped)  [not run]"' \
	'[ "$kind" != par ] || echo "block/003 (is fine)  [passed]"'
run_beside 1 100 --short
says '1 tests are worse'
grep -qx 'raid5 is asked for:.* block/001 block/002 ' "$WORK/out/blktests/raid5/log-1" || fail 'raid5 was asked for more'

# Another machine runs the remaining tests.
# shellcheck disable=SC2016  # for the machine
suite 'if [[ $done != *block/001* ]]; then' 'echo "block/001 => md0 (kills par)"' \
	'[ "$kind" != par ] || poweroff -f; sleep 1' \
	'echo "block/001 => md0 (kills par)  [passed]"; fi' 'echo "block/002 (is fine)  [passed]"'
run_beside 1
says 'on par: 1 died, 1 passed'
says '1 tests are worse'

# shellcheck disable=SC2016  # for the machine
suite 'if [[ $done != *block/001* ]]; then' 'echo "block/001 => md0 (hangs on par)"' \
	'[ "$kind" != par ] || sleep 1000; ' \
	'echo "block/001 => md0 (hangs on par)  [passed]"; fi' 'echo "block/002 (is fine)  [passed]"'
run_beside 1 50
says 'on par: 1 hung, 1 passed'
run_for 2 "$BESIDE" blktests "$WORK/none"
says 'it has no check'
echo "all told"
