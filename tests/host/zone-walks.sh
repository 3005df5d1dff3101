#!/bin/bash
# The stored map names a copy with the last flushed data, wherever a crash comes: random walks through a model.
# subject: data
# RAIDPAR_WHOLE takes ten times as many.
set -euo pipefail
. "$(dirname "$0")/../../scripts/lib.sh"

WORK=$(mktemp -d)
trap 'rm -rf "$WORK"' EXIT
MODULE=$TOP/drivers/md/raid-par

# Headers of the kernel are empty: tests/policy/kernel.h has what is needed.
sed -n 's/^#include <\(.*\)>.*/\1/p' "$MODULE"/{pure,tests}/*.[ch] | sort -u | while read -r header; do
	[ ! -f "/usr/include/$header" ] || continue
	mkdir -p "$WORK/include/${header%/*}"
	: >"$WORK/include/$header"
done
gcc -std=gnu11 -O2 -Wall -Werror -I "$WORK/include" -I "$MODULE" \
	-I "$MODULE/tests" -include "$TOP/tests/policy/kernel.h" -o "$WORK/zone-walks" "$TOP/tests/host/zone-walks.c" \
	"$MODULE"/tests/zone_{model,crash,plan,judge}.c "$MODULE"/pure/{zone,states,store-plan}.c
"$WORK/zone-walks" $((${RAIDPAR_WHOLE:-0} ? 15000 : 1000))
