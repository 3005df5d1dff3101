#!/bin/bash
# scripts/check-structure finds each violation that it names.
set -euo pipefail
cd "$(dirname "$0")/../.."
. tests/meta/lib.sh

DIR=$(mktemp -d)
trap 'rm -rf "$DIR"' EXIT
MODULE=$DIR/raid-par

# violates TEXT: the check of the changed copy reports only this line; then the change is undone.
violates() {
	run_for 1 scripts/check-structure "$MODULE" "$DIR/others"
	says "$1"
	[ "$(wc -l <<<"$OUTPUT")" = 1 ] || fail "more than one violation: $OUTPUT"
	renew
}

renew() {
	rm -rf "$MODULE" "$DIR/others"
	cp -r drivers/md/raid-par "$MODULE"
	mkdir "$DIR/others"
}

lines() { printf '\tx++;\n%.0s' $(seq "$1"); }

c_function() { printf '%s(void)\n{\n%s\n}\n' "$1" "$(lines "$2")"; }

renew
run_for 0 scripts/check-structure "$MODULE" "$DIR/others"

sed -i '0,/^#include/s//#include "sync\/sync.h"\n&/' "$MODULE/io/flush.c"
violates "flush.c: of layer io, includes sync/sync.h"

sed -i '0,/^#include/s//#include "flush.h"\n&/' "$MODULE/io/flush.c"
violates "flush.c: includes flush.h"

mkdir "$MODULE/cellar"
touch "$MODULE/cellar/coal.c"
violates "cellar/coal.c: is of no layer"

touch "$MODULE/meta/flush.c"
violates "meta/flush.c: io/flush.c has the same name"

printf 'struct par_attic {\n%s\n};\n' "$(printf '\tint x%s;\n' $(seq 41))" >>"$MODULE/io/io.h"
violates "struct par_attic has 41 fields"

lines 250 >>"$MODULE/par.h"
violates "par.h: has"

c_function "int par_endless" 58 >>"$MODULE/io/flush.c"
violates "par_endless() has 61 lines"

c_function "static int act" 1 >>"$MODULE/compat/layout.c"
violates "act() is named by one word"

# Two circles exist. flush.c and segment.c, which now call each other, are the third.
c_function "void par_a" 1 >>"$MODULE/io/flush.c"
printf 'void par_b(void)\n{\n\tpar_a();\n}\n' >>"$MODULE/io/segment.c"
printf 'void par_c(void)\n{\n\tpar_b();\n}\n' >>"$MODULE/io/flush.c"
violates "too many circles"

printf 'void par_a(void)\n{\n\tpar_c();\n}\n' >>"$MODULE/policy/window.c"
printf 'void par_b(void)\n{\n\tpar_a();\n}\n' >>"$MODULE/policy/surge.c"
printf 'void par_c(void)\n{\n\tpar_b();\n}\n' >>"$MODULE/policy/booking.c"
run_for 1 scripts/check-structure "$MODULE"
says "files that need each other: policy/booking.c policy/surge.c policy/window.c"
renew

c_function "int endless" 58 >"$DIR/others/a.c"
violates "others/a.c: endless() has 61 lines"

printf '#!/usr/bin/env python3\ndef endless():\n%s\n' "$(printf '    pass\n%.0s' $(seq 60))" >"$DIR/others/a"
violates "others/a: endless() has 61 lines"

echo "all violations are found"
