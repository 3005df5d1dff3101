#!/bin/bash
# On a real array paradm policy sets all that it is given or nothing, also over a restart, and a pin holds until its time.
# plain: yes
# needs: paradm
. "$(dirname "$0")/../tools/paradm.sh"

limits() { echo "$(par min_gear) $(par max_gear)"; }
settings() {
	local name
	for name in policy {up,down}_threshold window_{short,long} speed_{min,max} {min,max}_gear hold interval carry; do
		echo "$name $(par "$name")"
	done
}
sync_file() { cat "/sys/block/$MD/md/$1"; }

on_spindles 3,5 48M

note "settings: all or none are set, and they are kept"
ask 0 policy preset balanced
ask 0 policy set policy=manual
says '' policy set up_threshold=95 down_threshold=90 window_short=20 window_long=25 speed_max=1000 speed_min=500 carry=9
says '' policy set up_threshold=20 down_threshold=10 window_short=2 window_long=10
before=$(settings)
refuses 6 'down_threshold is below up_threshold$' policy set hold=5 up_threshold=5
refuses 6 'min_gear and max_gear are gears' policy set hold=5 min_gear=4
refuses 6 'speed_min must not exceed speed_max$' policy set hold=5 speed_min=1001
ask 2 policy set hold=5 up_threshold=101
ask 2 policy set hold=5 gear=3
ask 2 policy set hold=5 interval
assert_eq "$(settings)" "$before" "settings after the refusals"
reassemble_par
ask 0 shift 5
json '.arrays[0].settings[] | select(.name == "carry" or .name == "up_threshold") | .value' policy show
assert_eq "$JSON" $'20\n9' "settings after a restart"
says '' policy set speed_max=2097152

note "pins"
says '^md0: pinned to gear 3 until ' pin set lowest --for 2h
wait_for "/sys/block/$MD/md/par/gear" 3 60
assert_eq "$(limits)" "3 3" "limits of a pin"
json '.pins[0] | [.array, .holds, .uuid] | join(" ")' pin show
assert_eq "$JSON" "md0 true $(sync_file uuid)" "paradm pin show --json"
says 'no pin is over' pin end --expired
says 'the pin has ended' pin end
assert_eq "$(limits)" "3 5" "limits after the pin"
refuses 3 'no array is pinned$' pin end
ask 2 pin set 4
ask 2 pin set top --until 25:00
json '.gear_min' pin set top --for 1s
assert_eq "$JSON" 5 "a pin to the top gear"
wait_for "/sys/block/$MD/md/par/gear" 5 60
nap 1.1
says 'the pin has ended' pin end --expired
settle

note "a pin until a time of day"
until=$(date -d '+2 hours' '+%F %H:%M')
says "^md0: pinned to gear 3 until .*$until" pin set lowest --until "$until"
wait_for "/sys/block/$MD/md/par/gear" 3 60
date -s '+110 minutes' >/dev/null
says 'no pin is over' pin end --expired
assert_eq "$(limits)" "3 3" "limits ten minutes before the end"
date -s '+10 minutes' >/dev/null
says 'the pin has ended' pin end --expired
assert_eq "$(limits)" "3 5" "limits after the end"
settle
stop_par
