#!/bin/bash
# Spindle disks with mechanics: cuts work during write-back of the cache, during a flush and during a spin-up.
# machine: --debug --time-travel
. "$(dirname "$0")/../tools/par.sh"

SECTORS=$TOOLS/sectors.py

state() { cat "$SPINDLES/spin0/state"; }
flush() { dd if=/dev/null of=/dev/spin0 conv=fsync,notrunc status=none; }

# again SEED: cut, power on, wait until it turns. Prints the content that is left, as TAG:NUMBER words.
again() {
	echo "$1" >"$SPINDLES/cut"
	wait
	assert_eq "$(state)" off "state"
	echo all >"$SPINDLES/restore"
	assert_eq "$(state)" "spinning up" "state"
	LEFT=$("$SECTORS" census /dev/spin0 0 512 | tr ' \n' ': ')
}

mkspindles 1 1G preset=server36 spin_up_ms=5000
lost=0 kept=0
for seed in {1..4}; do
	"$SECTORS" write /dev/spin0 "old$seed" 0 512 --io 8
	flush
	assert_eq "$(cat "$SPINDLES/spin0/dirty")" 0 "dirty sectors after a flush"

	note "while it writes back, $seed"
	"$SECTORS" write /dev/spin0 "new$seed" 0 512 --io 8
	nap "0.00$seed"
	again "$seed"
	assert_match "$LEFT" "^((old|new)$seed:[0-9]+ )+mixed" "after the cut"
	[[ $LEFT != *old* ]] || lost=$((lost + 1))
	[[ $LEFT != *new* ]] || kept=$((kept + 1))

	note "while a flush takes its time, $seed"
	"$SECTORS" write /dev/spin0 "mid$seed" 0 512 --io 8
	flush
	dd if=/dev/zero of=/dev/spin0 bs=4k seek=100000 count=256 oflag=direct status=none
	"$SECTORS" write /dev/spin0 "end$seed" 0 512 --io 8
	rm -f "$MACHINE_TMP/flushed"
	{ flush 2>/dev/null && touch "$MACHINE_TMP/flushed"; } &
	nap "0.00$seed"
	again "$seed"
	assert_match "$LEFT" "^((mid|end)$seed:[0-9]+ )+mixed" "after the cut"
	[ ! -e "$MACHINE_TMP/flushed" ] || assert_eq "$LEFT" "end$seed:512 mixed:0 " "after the flush"

	note "while it spins up, $seed"
	"$SECTORS" write /dev/spin0 "last$seed" 0 512
	flush
	echo "$seed" >"$SPINDLES/cut"
	echo all >"$SPINDLES/restore"
	"$SECTORS" write /dev/spin0 "never$seed" 0 512 2>/dev/null &
	nap 1
	assert_eq "$(state)" "spinning up" "state"
	again "$seed"
	assert_eq "$LEFT" "last$seed:512 mixed:0 " "after the cut"
done
assert_ne "$lost" 0 "cuts that lost something"
assert_ne "$kept" 0 "cuts that kept something"
rmdisks
