#!/bin/bash
# The crash campaign's verifier finds every fault that is injected for it.
# needs: 6.12-debug
set -euo pipefail
cd "$(dirname "$0")"
RAIDPAR_TORTURE=$(./run --compile)
export RAIDPAR_TORTURE
exec ../machine/run --debug --mem 1200M --timeout 1200 -- "$PWD/guest-checker"
