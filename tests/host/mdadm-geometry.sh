#!/bin/bash
# mdadm computes the array's size as the module does, for every layout and size.
set -euo pipefail
. "$(dirname "$0")/../../scripts/lib.sh"

MODULE=$TOP/drivers/md/raid-par
TESTS=$TOP/tests/mdadm
WORK=$(mktemp -d)
trap 'rm -rf "$WORK"' EXIT

# Of the headers that geometry.c includes, the system has some; the others are
# empty here: kernel.h has what they would bring.
mkdir -p "$WORK/include"
sed -n 's/^#include <\(.*\)>.*/\1/p' "$MODULE"/geometry.[ch] | while read -r header; do
	[ ! -f "/usr/include/$header" ] || continue
	mkdir -p "$WORK/include/$(dirname "$header")"
	: >"$WORK/include/$header"
done
gcc -O2 -Wall -I "$WORK/include" -include "$TESTS/kernel.h" -c "$MODULE/geometry.c" -o "$WORK/module.o"
gcc -O2 -Wall -I "$WORK/include" -include "$TESTS/kernel.h" -I "$MODULE" \
	-c "$TESTS/geometry.c" -o "$WORK/main.o"
for version in 4.4 4.6; do
	source=$("$TOP/scripts/build-mdadm" "$version")/source
	gcc -O2 -Wall -DNO_COROSYNC -DNO_DLM -c "$source/par-layout.c" -o "$WORK/mdadm.o"
	gcc -o "$WORK/test" "$WORK/main.o" "$WORK/module.o" "$WORK/mdadm.o"
	printf 'mdadm %s: ' "$version"
	"$WORK/test"
done
