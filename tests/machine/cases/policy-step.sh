#!/bin/bash
# After a step of load from 5 to 80 percent of the capacity of all disks, the array is in the top gear within the disks' spin-up time, two intervals of the monitor, and 2 s.
# plain: yes
# machine: --debug --time-travel
# needs: raid-tracer
# timeout: 400
. "$(dirname "$0")/../tools/policy.sh"

STARTS_IN=20000	# ms; nearline disks
QUIET=420	# seconds: five minutes, the hold time, and the duration of a shift down
# ms. The monitor sees a step within its second only in the next second. The shift then flushes caches and
# writes superblocks, on members with queues of a second.
LOOKS=2000
STORE=2000

# ms: print the simulated time in ms.
ms() { echo "$((${EPOCHREALTIME/[.,]/} / 1000))"; }

# start_ms LAYOUT: print the time until all sleepers turn, which are started one after another.
start_ms() { echo "$((STARTS_IN + ($(top_gear "$1") - $(low_gear "$1") - 1) * $(par wake_stagger)))"; }

# step LAYOUT RATE: RATE requests per second are 80 percent of what all disks can do.
step() {
	local began at left
	note "$1"
	huge_array "$1" "$QUIET:$(($2 / 16)):90" "40:$2:90"
	set_par policy auto
	send "$MACHINE_TMP/requests" &
	began=$(ms)
	gear_is "$(low_gear "$1")" "$QUIET"
	wait_asleep
	left=$((began + QUIET * 1000 - $(ms)))
	assert_le 10000 "$left" "ms from when all sleepers sleep to the step"
	nap "$((left / 1000)).$(printf %03d $((left % 1000)))"
	gear_is "$(top_gear "$1")" 60
	at=$(($(ms) - began - QUIET * 1000))
	note "$at ms; $(par explain)"
	assert_le "$at" $(($(start_ms "$1") + LOOKS + STORE)) "ms until the top gear"
	wait $!
	shifts_are 2 "down and up"
	end_par
}

step 3,5 480
step 3,8 760
