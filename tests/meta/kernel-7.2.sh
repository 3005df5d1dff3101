#!/bin/bash
# A machine with Linux 7.2 has two CPUs, returns status and output, and fails on the same complaints of the kernel as with 6.12.
# needs: 7.2
set -euo pipefail
. "$(dirname "$0")/lib.sh"

run_for 7 "$MACHINE" --kernel 7.2 -- sh -c 'head -c 300000 /dev/zero | tr "\0" x; exit 7'
says "$(printf 'x%.0s' {1..1000})"
[ "$(tr -cd x <<<"$OUTPUT" | wc -c)" -ge 300000 ] || fail "output is cut: ${#OUTPUT}"

# shellcheck disable=SC2016  # for the machine
# Both CPUs count time of their own only while both have work.
run_for 0 "$MACHINE" --kernel 7.2 -- bash -ec '
	[[ $(uname -r) == 7.2.* ]]
	for cpu in 0 1; do taskset -c $cpu timeout 3 sh -c "while :; do :; done" & done
	wait || true
	awk "/^cpu[01] / && \$2 + \$4 >= 50 { busy++ } END { exit busy != 2 }" /proc/stat'

complains warn 'a warning on demand' --kernel 7.2
complains bug 'BUG: failure at' --kernel 7.2
complains panic 'a panic on demand' --kernel 7.2
complains hang 'blocked for more than' --kernel 7.2

mkdir -p build
RAIDPAR_OUT=$(mktemp -d "$PWD/build/timeout.XXXX")
export RAIDPAR_OUT
trap 'rm -rf "$RAIDPAR_OUT"' EXIT
run_for 98 "$MACHINE" --kernel 7.2 --timeout 10 -- sleep 12345
says 'killed after 10 s'
! pgrep -f "RAIDPAR_CTL=$RAIDPAR_OUT" || fail "the machine still runs"
