#!/bin/bash
# Expected misses keep an array with images of a share in its top gear, and say so; runs in use do not, and a miss wakes for its own cause. Misses by hour survive a stop, and are expected after the next start.
# plain: yes
# machine: --debug --time-travel
. "$(dirname "$0")/../tools/policy.sh"

# read_mib MIB: read a stripe, of all members, at MIB of the array. A run has 4 MiB of it.
read_mib() { dd if="/dev/$MD" of=/dev/null bs=256K count=1 iflag=direct skip=$((4 * $1)) status=none; }

# hot SECONDS: read the same two runs again and again. cold N PAUSE: read N runs, each of them once. After a miss the next
# run gets a slot, too.
hot() {
	local end=$((SECONDS + $1))
	while [ "$SECONDS" -lt "$end" ]; do
		read_mib 1
		read_mib 5
		nap 3
	done
}
NEXT=40	# runs 0 to 5 have slots
cold() {
	local n
	for ((n = 0; n < $1; n++)); do
		read_mib "$NEXT"
		NEXT=$((NEXT + 8))
		nap "$2"
	done
}

# All loads of this case fall into one hour.
START=$(((EPOCHSECONDS / 3600 + 1) * 3600))
date -s "@$START" >/dev/null
mkspindles 5 64M preset=nas
create_shared 10 3,5 --chunk=64
MIB=184
dd if=/dev/zero of="/dev/$MD" bs=1M count="$MIB" oflag=direct status=none
settle
quick
# As many spin-ups as are wanted: only the energy counts.
for d in 3 4; do set_member $d rated_cycles 10000000; set_member $d wanted_years 1; done
listen

note "runs in use"
for i in 1 2 3; do
	hot 10
	nap 600
done
set_par policy auto
gear_is 3 200
wait_asleep
misses=$(par slot_misses)
hot 120
assert_eq "$(par gear) $(par slot_misses)" "3 $misses" "gear and misses while runs with slots are read"

note "a run without a slot"
left=$(member 4 spins_left)
mark_log
cold 1 0
gear_is 5 60
logged 'a miss of [a-z0-9]+\[[0-9]+\] starts disks for gear 5: what it reads has no image \(sector [0-9]+ of member [34]\)'
assert_eq "$(log_since | grep -c 'a miss of')" 1 "lines about the miss"
assert_eq "$(member 4 spins_left)" $((left - 1)) "spins_left after a miss"
assert_eq "$(member 4 last_wake_cause)" miss "cause of the wake"
heard 'wake MEMBER=4 .*CAUSE=miss' 20
cold 2 9
heard 'decision DECISION=stay REASON=misses GEAR=5 ABOUT=3' 15
explains 'gear 3 would be enough, but data without a slot was needed [0-9]+ s ago, and more may follow; shifts down in [0-9]+ s'
cold 4 15
assert_eq "$(par gear)" 5 "gear while more follows"

note "others again and again, too often for the energy"
# With the start of the disks, 37 s apart.
cold 6 22
before=$(par shifts)
cold 5 22
shifts_are "$before" "with misses in prospect"
assert_eq "$(par gear)" 5 "gear with misses in prospect"
explains 'gear 3 would be enough, but its expected misses cost more energy than it saves: its sleepers would sleep for [0-9]+ s until one wakes them'
[ $((NEXT - 8)) -lt "$MIB" ] || fail "read behind what was written"

note "no more of them"
hot 200
assert_eq "$(par gear)" 3 "gear"

note "misses by hour"
assert_eq "$(cat "/sys/block/$MD/md/par/load_by_hour")" '' "hours before the first one is over"
nap $((START + 3605 - EPOCHSECONDS))
by_hour=$(cat "/sys/block/$MD/md/par/load_by_hour")
read -r hour mean peak days misses <<<"$by_hour"
assert_eq "$hour $days" "$(date -u -d "@$START" +%H) 1" "the hour, and days"
assert_match "$misses" '^([1-9]|[12][0-9]|30)\.00$' "misses in the hour"
set_par break_even 240
set_par gear 5
gear_is 5 60
stop_par
dissect
assert_eq "$(dissect --hours)" \
	"$((START / 3600)) $((10#${mean/./})) $((10#${peak/./})) ${misses%.00}" "the hour on the disks"

note "misses that are usual at this hour"
date -s "@$((START + 86400 + 60))" >/dev/null
assemble_par
assert_eq "$(cat "/sys/block/$MD/md/par/load_by_hour")" "$by_hour" "load_by_hour after a start"
set_par hold 10
# The last stay in gear 3 was short, for which the policy waits, too: until 240 s after the start.
nap 400
assert_eq "$(par gear)" 5 "gear at this hour"
explains 'gear 3 would be enough, but its expected misses cost more energy than it saves: its sleepers would sleep for [0-9]+ s until one wakes them'
gear_is 3 1000
stop_par
