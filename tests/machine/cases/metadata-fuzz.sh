#!/bin/bash
# Random metadata with right checksums causes no oops, no hang, and no use of memory beyond what the array's size explains.
# subject: crash
# RAIDPAR_WHOLE=1: for longer.
# RAIDPAR_FUZZ=100000 tries this number of variants of each layout (RAIDPAR_FUZZ_LAYOUT: of one), without a time limit.
. "$(dirname "$0")/../tools/par.sh"

SECONDS_EACH=$((${RAIDPAR_WHOLE:-0} ? 12 : 5))
SEED=${RAIDPAR_FUZZ_SEED:-1}
FUZZ=$MACHINE_TMP/fuzz
gcc -O2 -o "$FUZZ" "$RAIDPAR_TOP/tests/fuzz/metadata.c"

# The test has its own node: the kernel removes the one in /dev some time after the array is stopped.
NODE=$MACHINE_TMP/node
mknod "$NODE" b 9 "${MD#md}"

# The kernel log must not drop any line: it names each variant.
echo on >/proc/sys/kernel/printk_devkmsg

# Create an array with data in home copies and in images, and some unwritten rows.
used() {
	local limit=(-n 100000 -t "$SECONDS_EACH")
	[ -z "${RAIDPAR_FUZZ:-}" ] || limit=(-n "$RAIDPAR_FUZZ" -f "${RAIDPAR_FUZZ_FIRST:-0}")
	fill 4
	shift_to "$(low_gear "$LAYOUT")"
	fill 2 3
	fill 1 10
	stop_par
	"$FUZZ" -s "$SEED" "${limit[@]}" -g "$(low_gear "$LAYOUT"),$(top_gear "$LAYOUT")" -m "$NODE" "${DEVS[@]}"
	assemble_par
}

[ -z "${RAIDPAR_FUZZ_LAYOUT:-}" ] || LAYOUTS=("$RAIDPAR_FUZZ_LAYOUT")
for layout in "${LAYOUTS[@]}"; do with_par "$layout" 32M used --chunk=64; done
