#!/bin/bash
# Spindle disks: requests in flight at a cut fail and are written in part; several disks are cut at one instant.
. "$(dirname "$0")/../tools/par.sh"

SECTORS=$TOOLS/sectors.py

# in_flight NAME: print the number of requests in flight.
in_flight() {
	local counts
	read -r -a counts <"/sys/block/$1/inflight"
	echo $((counts[0] + counts[1]))
}

# volley TAG: send eight slow requests of 32 KiB. One process sends them together, so that the
# first has not ended before the last is sent; on a busy machine it may have.
volley() {
	local tries deadline
	for tries in 1 2 3; do
		deadline=$((SECONDS + 20))
		"$SECTORS" volley /dev/spin0 "$1" 0 512 >"$MACHINE_TMP/volley" &
		VOLLEY=$!
		while [ "$SECONDS" -le "$deadline" ]; do
			[ "$(in_flight spin0)" != 8 ] || return 0
			nap 0.01
		done
		note "$(in_flight spin0) requests in flight, not 8: try $tries"
		wait "$VOLLEY"
	done
	fail "not all requests were in flight at once"
}

# slower US: let the disk's requests take up to US. The disk is dead meanwhile, so that the search
# for partitions does not wait.
slower() {
	echo 0 >"$SPINDLES/spin0/online"
	echo "$1" >"$SPINDLES/spin0/delay_us"
	echo 1 >"$SPINDLES/spin0/dead"
	echo 1 >"$SPINDLES/spin0/online"
	echo 0 >"$SPINDLES/spin0/dead"
}

# all_err: all requests in flight end at once, with an error.
all_err() {
	local start=$SECONDS
	wait "$VOLLEY"
	assert_eq "$(cat "$MACHINE_TMP/volley")" "8 of 8 erred" "requests in flight"
	assert_le $((SECONDS - start)) 10 "seconds until requests in flight return an error"
}

arrived() {
	local cache=$1 seed seen=
	mkspindles 1 16M "cache=$cache"
	for seed in 1 2 3; do
		slower 0
		"$SECTORS" write /dev/spin0 old 0 512
		slower 60000000
		volley new
		echo "$seed" >"$SPINDLES/cut"
		all_err
		echo spin0 >"$SPINDLES/restore"
		slower 0
		left=$("$SECTORS" census /dev/spin0 0 512 | tr ' \n' ': ')
		assert_match "$left" '^((new|old):[0-9]+ )+mixed' "after the cut, seed $seed"
		[[ $left != *new:*old:* ]] || seen=1
	done
	[ "$seen" ] || fail "no write arrived in part"
	rmdisks
}

note "in flight, with a cache and without"
arrived 1
arrived 0

note "in flight when the disk dies"
mkspindles 1 16M
slower 60000000
volley new
echo 1 >"$SPINDLES/spin0/dead"
all_err
rmdisks

note "two disks at one instant"
for delay in 0 300; do
	mkspindles 2 16M "delay_us=$delay"
	for seed in {1..8}; do
		"$SECTORS" pair /dev/spin0 /dev/spin1 >"$MACHINE_TMP/turns" &
		writer=$!
		nap "0.$((RANDOM % 3 + 1))"
		echo "$seed spin0 spin1" >"$SPINDLES/cut"
		wait "$writer" || fail "delay $delay, seed $seed: the cut was not one instant"
		echo spin1 spin0 >"$SPINDLES/restore"
	done
	note "$(cat "$MACHINE_TMP/turns") writes until the last cut"
	rmdisks
done
