#!/bin/bash
# A WARN, BUG, panic or hung task fails the command, whatever its status.
# needs: 7.2
set -euo pipefail
. "$(dirname "$0")/lib.sh"

complains warn 'a warning on demand' --kernel 7.2
complains bug 'BUG: failure at' --kernel 7.2
complains panic 'a panic on demand' --kernel 7.2
complains hang 'blocked for more than' --kernel 7.2
