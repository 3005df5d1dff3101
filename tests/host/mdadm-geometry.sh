#!/bin/bash
# mdadm computes the array's size as the module does, for every layout and size.
# needs: mdadm-VERSION
# mdadm: 4.4 4.6
set -euo pipefail
. "$(dirname "$0")/../../scripts/lib.sh"

MODULE=$TOP/drivers/md/raid-par
TESTS=$TOP/tests/mdadm
WORK=$(mktemp -d)
trap 'rm -rf "$WORK"' EXIT

"$TOP/scripts/build-policy" "$WORK"
gcc -O2 -Wall -I "$WORK/include" -include "$TOP/tests/policy/kernel.h" -I "$MODULE" \
	-c "$TESTS/geometry.c" -o "$WORK/main.o"
SOURCE=$("$TOP/scripts/build-mdadm" "$1")/source
gcc -O2 -Wall -DNO_COROSYNC -DNO_DLM -c "$SOURCE/par-layout.c" -o "$WORK/mdadm.o"
gcc -o "$WORK/test" "$WORK/main.o" "$WORK/mdadm.o" "$WORK/libpar-policy.a"
"$WORK/test"
