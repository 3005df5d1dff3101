#!/bin/bash
# A machine that exceeds its time-out is killed, and leaves no process and no file behind.
# needs: 6.12-debug
set -euo pipefail
. "$(dirname "$0")/lib.sh"

mkdir -p build
RAIDPAR_OUT=$(mktemp -d "$PWD/build/timeout.XXXX")
export RAIDPAR_OUT
trap 'rm -rf "$RAIDPAR_OUT"' EXIT
run_for 98 "$MACHINE" --debug --timeout 4 -- sleep 12345
says 'killed after 4 s'
! pgrep -f "RAIDPAR_CTL=$RAIDPAR_OUT" || fail "the machine still runs"

# A timeout counts real time: simulated time passes at once.
run_for 0 "$MACHINE" --debug --time-travel --timeout 300 -- sleep 100000
echo "killed; and 100000 simulated seconds took no time"
