#!/bin/bash
# A WARN, BUG, panic or hung task fails the command, whatever its status.
set -euo pipefail
. "$(dirname "$0")/lib.sh"

complains warn 'a warning on demand'
complains bug 'BUG: failure at'
complains panic 'a panic on demand'
complains hang 'blocked for more than'
