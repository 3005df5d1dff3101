#!/bin/bash
# The largest possible array works: 28 members, with gears of 5, 14 and 28.
# subject: shape
# machine: --debug --mem 3G
. "$(dirname "$0")/../tools/par.sh"

work() { exercise 28; }
with_par 5,14,28 24M work --chunk=64
