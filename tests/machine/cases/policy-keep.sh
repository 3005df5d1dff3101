#!/bin/bash
# Settings are checked, take effect at once and survive restarts, as does the load by hour; with policy=manual nothing shifts by itself.
# plain: yes
# machine: --debug --time-travel
# needs: raid-tracer
. "$(dirname "$0")/../tools/policy.sh"

KNOBS='policy interval window_short window_long up_threshold down_threshold up_wait hold break_even min_gear max_gear'
all_knobs() { for file in $KNOBS; do echo "$file=$(par "$file")"; done | paste -sd ' '; }

policy_array 3,5,8
assert_eq "$(all_knobs)" 'policy=manual interval=1000 window_short=3 window_long=300 up_threshold=70 down_threshold=50 up_wait=250 hold=60 break_even=120 min_gear=3 max_gear=8' "defaults"

note "refused values change nothing"
old=$(all_knobs)
lines=0
mark_log
while read -r file value; do
	refused eval "echo '$value' >/sys/block/$MD/md/par/$file"
	assert_match "$REFUSAL" 'Invalid argument' "$file $value"
	assert_eq "$(all_knobs)" "$old" "after $file $value"
	lines=$((lines + 1))
done <<-END
	policy sometimes
	interval 99
	interval 60001
	window_short 0
	window_short 61
	window_long 2
	window_long 901
	up_threshold 50
	up_threshold 101
	up_threshold much
	down_threshold 70
	down_threshold 0
	up_wait 60001
	hold 86401
	hold -1
	break_even 86401
	min_gear 4
	max_gear 9
END
assert_eq "$(log_since | grep -c 'md/par:md0:')" "$lines" "lines in the log"
set_par min_gear 5
refused eval "echo 3 >/sys/block/$MD/md/par/max_gear"

note "manual: nothing shifts, and all is counted"
set_par min_gear 3
quick
# Set the clock to the beginning of an hour, and wait until it is nearly over.
date -s "@$(((EPOCHSECONDS / 3600 + 1) * 3600))" >/dev/null
load 60 20 30
nap 3700
shifts_are 0 "manual"
assert_eq "$(wc -l <"/sys/block/$MD/md/par/load_by_hour")" 1 "hours in load_by_hour"
read -r _ mean peak days <"/sys/block/$MD/md/par/load_by_hour"
assert_eq "$days" 1 "days"
assert_match "$mean" '^0\.[0-9][0-9]$' "mean of the hour"
assert_match "$peak" '^[1-9][0-9]?\.[0-9][0-9]$' "peak of the hour"

read -r hour pasts <"/sys/block/$MD/md/par/load_history"
assert_eq "$pasts" "$mean $peak" "that hour in load_history"
assert_eq "$hour" "$((EPOCHSECONDS / 3600 - 1))" "the hour, since 1970"
assert_eq "$(wc -l <"/sys/block/$MD/md/par/load_history")" 1 "hours in load_history"

note "limits"
set_par min_gear 5
set_par max_gear 5
set_par policy auto
gear_is 5 10
explains 'gear 5 of 8, .* busy: no lower gear is allowed by min_gear'
load 600 10
shifts_are 1 "with one gear allowed"
explains 'would shift up to gear 8, but for max_gear'
nap 30

note "kept"
set_par interval 500
old=$(all_knobs)
hours=$(cat "/sys/block/$MD/md/par/load_by_hour")
past=$(cat "/sys/block/$MD/md/par/load_history")
reassemble_par
assert_eq "$(all_knobs)" "$old" "knobs after a restart"
assert_eq "$(cat "/sys/block/$MD/md/par/load_by_hour")" "$hours" "load by hour after a restart"
assert_eq "$(cat "/sys/block/$MD/md/par/load_history")" "$past" "load_history after a restart"
assert_eq "$(par gear)" 5 "gear after a restart"
set_par min_gear 3
gear_is 3 120
end_dissected
