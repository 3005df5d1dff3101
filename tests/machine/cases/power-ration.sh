#!/bin/bash
# With the spin-up budget exhausted, a shift down is deferred, reported, and done when the budget has refilled; the budget survives restarts.
# machine: --debug --time-travel
. "$(dirname "$0")/../tools/power.sh"

# later DAYS: set the clock forward, since even simulated days take some time.
later() { date -s "@$((EPOCHSECONDS + $1 * 86400))" >/dev/null; }
# The clock cannot be set to a time before the machine's start.
begin_1970() { date -s "@$((3600 + $(cut -d. -f1 /proc/uptime)))" >/dev/null; }

# left N: member 4 has N spin-ups left.
left() { assert_eq "$(member 4 spins_left)" "$1" "spins_left, $2"; }

power_array 3,5
assert_eq "$(member 4 rated_cycles)" 50000 "rated_cycles"
assert_eq "$(member 4 wanted_years)" 5 "wanted_years"
left 27 "to begin with"

note "refused values change nothing"
mark_log
while read -r file value; do
	old=$(par "$file")
	refused eval "echo '$value' >/sys/block/$MD/md/par/$file"
	assert_match "$REFUSAL" 'Invalid argument' "$file $value"
	assert_eq "$(par "$file")" "$old" "$file after $value"
done <<-END
	member4/rated_cycles 0
	member4/rated_cycles 10000001
	member4/rated_cycles many
	member4/wanted_years 0
	member4/wanted_years 101
	carry -1
	carry 3651
	wake_timeout 0
	wake_timeout 3601
	wake_stagger 60001
	stop_after 86401
	spin maybe
END
assert_eq "$(log_since | grep -c 'md/par:md0:')" 12 "lines in the log"

note "two a day, nothing carried over"
for d in 3 4; do set_member $d rated_cycles 730; set_member $d wanted_years 1; done
set_par carry 0
left 2 "of two"
for i in 1 2; do
	down
	shift_to 5
	left $((2 - i)) "after $i"
done
mark_log
fill 1 1
set_par gear 3
nap 10
assert_eq "$(par gear)" 5 "gear"
assert_eq "$(par shift_target)" 3 "shift_target"
assert_eq "$(par shift_state)" idle "shift_state"
assert_eq "$(par shift_put_off)" ration "shift_put_off"
assert_eq "$(par spin_refused)" 1 "spin_refused"
assert_eq "$(log_since | grep -c 'the shift down to gear 3 is deferred: member 3 has no spin-ups left')" 1 "lines in the log"

note "the mover has other things to do, and does not spin"
read -r _ _ _ _ _ _ _ _ _ _ _ _ _ USER1 SYSTEM1 _ <"/proc/$(pgrep "${MD}_mover")/stat"
nap 500
read -r _ _ _ _ _ _ _ _ _ _ _ _ _ USER2 SYSTEM2 _ <"/proc/$(pgrep "${MD}_mover")/stat"
assert_le $((USER2 + SYSTEM2 - USER1 - SYSTEM1)) 20 "ticks of the mover"
assert_eq "$(par spin_refused)" 1 "spin_refused"

note "across a restart"
reassemble_par
left 0 "after a restart"
assert_eq "$(member 4 spin_ups)" 2 "spin_ups after a restart"
assert_eq "$(par spin_refused)" 1 "spin_refused after a restart"
set_par gear 3
nap 5
assert_eq "$(par shift_put_off)" ration "shift_put_off after a restart"

note "a clock that begins in 1970 and is set later"
set_par gear 5
stop_par
NOW=$EPOCHSECONDS
begin_1970
assemble_par
left 0 "in 1970"
nap 10
left 0 "in 1970, later"
date -s "@$((NOW + 20))" >/dev/null
left 0 "when the clock has been set"
begin_1970
left 0 "when it has been set back"
date -s "@$((NOW + 30))" >/dev/null
left 0 "when it has been set again"
set_par gear 3

note "tomorrow"
later 1
nap 3700	# the clock is checked every hour; such a timer may be minutes late
gear_is 3 400
wait_asleep
assert_eq "$(par shift_put_off)" none "shift_put_off"
left 2 "the next day"

note "spin-ups are saved up to the limit, also while the array is stopped"
shift_to 5
set_par carry 2
stop_par
later 10
assemble_par
left 6 "after ten days"

note "a member that is not stopped needs no spin-ups"
for d in 3 4; do set_member $d rated_cycles 1; set_member $d wanted_years 100; done
set_par spin off
shift_to 3
nap 100
assert_eq "$(disk 4 state)" idle "the disk, with spin off"
assert_eq "$(member 4 power_state)" active "power_state with spin off"

note "a new disk was never woken"
for d in 3 4; do set_member $d rated_cycles 10000000; done
set_par spin on
down
shift_to 5
assert_ne "$(member 4 last_wake)" 0 "last_wake"
take_out 4
mdadm --quiet --zero-superblock "${DEVS[4]}"
put_in 4
assert_eq "$(member 4 last_wake) $(member 4 last_wake_cause) $(member 4 spin_ups)" "0 none 0" "last_wake, its cause and spin_ups of a new disk"
stop_par
