#!/bin/bash
# The time at which each set was last read completely is kept; a check recognizes the sets that are overdue, and wakes their members.
# subject: sync
. "$(dirname "$0")/../tools/par.sh"

# days N: set the clock forward.
days() { date -s "@$(($(date +%s) + $1 * 86400))" >/dev/null; }

# last MEMBERS: print the days since the last complete read of that set.
last() { awk -v set="$1" -v now="$(date +%s)" '$1 == set { printf "%d", (now - $2) / 86400 }' "$PAR/scrub_last"; }

check() {
	echo check >"/sys/block/$MD/md/sync_action"
	mdadm --wait "/dev/$MD" || true
	wait_for "/sys/block/$MD/md/sync_action" idle
	settle
}

# expect GEAR LEFT_OUT DAYS_5 DAYS_3 WHAT
expect() {
	assert_eq "$(par gear)" "$1" "gear after $5"
	assert_eq "$(par scrub_left_out)" "$2" "scrub_left_out after $5"
	assert_eq "$(last 5)" "$3" "days since the set of 5 was read in whole, after $5"
	assert_eq "$(last 3)" "$4" "days since the set of 3 was read in whole, after $5"
}

on_spindles 3,5 24M
fill 20
assert_eq "$(par scrub_age)" 35 "scrub_age as from birth"
shift_to 3

days 30
check
expect 3 5 30 0 "a check in the low gear"
days 5
mark_log
check
assert_match "$(log_since)" 'the set of 5 members was last read completely 35 days ago: the check wakes its members' "the kernel log"
expect 5 none 0 0 "a check after 35 days"

note "kept across a restart"
shift_to 3
days 34
echo 34 >"$PAR/scrub_age"
reassemble_par
assert_eq "$(par scrub_age)" 34 "scrub_age after a restart"
check
expect 5 none 0 0 "a check after 34 days"
echo 0 >"$PAR/scrub_age"
shift_to 3
days 400
check
expect 3 5 400 0 "a check that may wake nobody"
echo 1 >"$PAR/scrub_wakes"
reassemble_par
assert_eq "$(par scrub_wakes)" 1 "scrub_wakes after a restart"
check
expect 5 none 0 0 "a check that wakes all"

note "in parts"
days 10
set_sync sync_speed_max 300
set_sync sync_speed_min 100
echo check >"/sys/block/$MD/md/sync_action"
sync_at 4096
sync_now idle
assert_le 1 "$(cat "/sys/block/$MD/md/sync_min")" "sync_min after a check that was interrupted"
assert_eq "$(last 5)" 10 "days since the set of 5 was read in whole, when a check was broken off"
set_sync sync_speed_max 1000000
days 1
check
expect 5 none 1 0 "a check that went on"
days 1
set_sync sync_min 16384
check
expect 5 none 2 0 "a check of a part"

note "degraded"
days 3
set_sync sync_min 0
mdadm --quiet "/dev/$MD" --fail "${DEVS[4]}"
settle
detached 4
check
expect 5 none 5 0 "a check that lacks a member"
mdadm --quiet "/dev/$MD" --remove "${DEVS[4]}"
mdadm --quiet "/dev/$MD" --re-add "${DEVS[4]}"
wait_for "/sys/block/$MD/md/degraded" 0 60
settle

note "a clock that is not set"
NOW=$EPOCHSECONDS
date -s @86400 >/dev/null
echo 0 >"$PAR/scrub_wakes"
echo 35 >"$PAR/scrub_age"
shift_to 3
check
assert_eq "$(par scrub_left_out)" 5 "scrub_left_out in 1970"
date -s "@$((NOW + 60))" >/dev/null

mark_log
refused_write() { ! { echo "$2" >"$PAR/$1"; } 2>/dev/null || fail "$1 takes $2"; }
refused_write scrub_age 3651
refused_write scrub_age month
assert_match "$(log_since)" 'scrub_age, in days, takes a number from 0 \(a check never wakes members\) to 3650' "the kernel log"
stop_par
