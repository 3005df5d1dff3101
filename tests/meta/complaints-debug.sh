#!/bin/bash
# With --debug, a KASAN or lockdep report, sleeping in atomic context, or a leak fails the command.
# needs: 6.12-debug
set -euo pipefail
. "$(dirname "$0")/lib.sh"

complains kasan 'KASAN: slab-use-after-free' --debug
complains lockdep 'possible circular locking' --debug
complains atomic 'scheduling while atomic' --debug
complains leak 'unreferenced object' --debug
run_for 0 "$MACHINE" --debug -- modprobe complain
echo "and a module that does nothing is fine"
