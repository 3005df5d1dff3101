#!/bin/bash
# Wherever a clock shows 2099 for a minute, or 1970, or jumps a day back: spin-up budgets and the ages of checks are right within a day, with one line. RAIDPAR_WHOLE=1: more of these.
# machine: --time-travel
. "$(dirname "$0")/../tools/power.sh"

FUTURE=4070908800	# 1 January 2099
DAY=86400

# real: print the right time, in seconds since 1970; clock FUNCTION: set the clock to what the function makes of it; right: set it right.
up() { cut -d. -f1 /proc/uptime; }
BASE=$((EPOCHSECONDS - $(up)))
real() { echo $((BASE + $(up))); }
clock() { date -s "@$("$1" "$(real)")" >/dev/null; }
right() { echo "$1"; }
future() { echo "$FUTURE"; }
origin() { echo $((3600 + $(up))); }
yesterday() { echo $(($1 - DAY)); }
# A clock that is a day ahead and is set right jumps back.
tomorrow() { echo $(($1 + DAY)); }

# age MEMBERS: print the days since the set was read, by the right time.
age() { awk -v set="$1" -v now="$(real)" '$1 == set { printf "%d", (now - $2 + 43200) / 86400 }' "/sys/block/$MD/md/par/scrub_last"; }
check() {
	echo check >"/sys/block/$MD/md/sync_action"
	wait_for "/sys/block/$MD/md/sync_action" idle
	settle
}

doubts() { assert_eq "$(log_since | grep -c 'md/par:md0:.*the system clock')" "$1" "lines about the clock, $2"; }

# begin: an array whose members start twice a day; no start is left.
begin() {
	create_par 3,5 --chunk=64
	set_par interval 60000
	fill 4
	for d in 3 4; do set_member $d rated_cycles 730; set_member $d wanted_years 1; done
	spend
}

# spend: use up what is left.
spend() {
	while [ "$(member 4 spins_left)" -gt 0 ]; do down; shift_to 5; done
}

# good WHAT: from now on two starts are added each day, and the check, which has just ended, counts as one of now.
good() {
	nap "$DAY"
	assert_eq "$(member 4 spins_left)" 2 "spins_left after a day, $1"
	nap $((2 * DAY))
	assert_eq "$(member 4 spins_left)" 6 "spins_left after three days, $1"
	assert_eq "$(age 5)" 3 "days since the check, $1"
	assert_eq "$(age 3)" 3 "days since the check of the low gear's set, $1"
}

# glimpse FUNCTION WHAT: the clock is wrong for a minute, in which a check begins and ends.
glimpse() {
	note "$2"
	mark_log
	spend
	clock "$1"
	check
	assert_eq "$(member 4 spins_left)" 0 "spins_left while the clock is wrong, $2"
	nap 60
	clock right
	good "$2"
	doubts 1 "$2"
}

# stays FUNCTION LINES: the clock is wrong for three hours, in which a check begins and ends.
stays() {
	note "hours of $1"
	mark_log
	clock "$1"
	nap 10000
	check
	spend
	nap 800
	clock right
	good "hours of $1"
	doubts "$2" "hours of $1"
}

# booted FUNCTION WHAT: the array starts with a wrong clock, which is set right after a minute.
booted() {
	note "$2"
	mark_log
	spend
	check
	stop_par
	clock "$1"
	assemble_par
	nap 60
	assert_eq "$(member 4 spins_left)" 0 "spins_left while the clock is wrong, $2"
	clock right
	good "$2"
	doubts 1 "$2"
}

power_disks 5
begin
glimpse future "a minute of 2099"
stays tomorrow 1
booted origin "a start in 1970"
if [ -n "${RAIDPAR_WHOLE:-}" ]; then
	glimpse origin "a minute of 1970"
	glimpse yesterday "a minute of yesterday"
	stays future 2
	booted future "a start in 2099"
fi
end_par

note "an array that was created in 2099"
power_disks 5
clock future
mark_log
begin
check
clock right
good "after a creation in 2099"
doubts 1 "after a creation in 2099"
mark_log
reassemble_par
nap 7200
doubts 0 "at the next start"
end_par
