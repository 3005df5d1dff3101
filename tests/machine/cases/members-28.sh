#!/bin/bash
# The largest array there can be, of 28 members with gears of 5, 14 and 28.
# machine: --debug --mem 3G
# timeout: 240
set -euo pipefail
. "$(dirname "$0")/../tools/par.sh"

work() { exercise 28; }
with_par 5,14,28 24M work --chunk=64
