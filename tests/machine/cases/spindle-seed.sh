#!/bin/bash
# Spindle disks: equal seeds leave equal content after a cut; other seeds or names leave other content.
. "$(dirname "$0")/../tools/par.sh"

SECTORS=$TOOLS/sectors.py

# outcome SEED CUT [NAME]: print the content after a workload that ends in a cut.
outcome() {
	local name=${3:-spin0} tag
	mkspindle "$name" 32M "seed=$1"
	for tag in one two three; do
		"$SECTORS" write "/dev/$name" "$tag" 0 16384
		"$SECTORS" write "/dev/$name" "$tag" 20000 45000 # more than the cache holds
	done
	echo "$2" >"$SPINDLES/cut"
	echo all >"$SPINDLES/restore"
	OUTCOME=$(cat "$SPINDLES/$name/lost") OUTCOME+=" $(sha256sum <"/dev/$name")"
	rmdisks
}

modprobe spindle
outcome 1 1
first=$OUTCOME
note "$first"
assert_ne "${first%% *}" 0 "lost sectors" # otherwise the comparison would show nothing
outcome 1 1
assert_eq "$OUTCOME" "$first" "the same seeds"
outcome 2 1
assert_ne "$OUTCOME" "$first" "another seed of the disk"
outcome 1 2
assert_ne "$OUTCOME" "$first" "another seed of the cut"
outcome 1 1 other
assert_ne "$OUTCOME" "$first" "another name"
