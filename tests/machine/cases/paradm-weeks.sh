#!/bin/bash
# With a daily rhythm and quiet weekends an array learns its schedule in a week, and follows it for three more: at most a tenth of the requests wait, with no more energy.
# needs: paradm
# machine: --time-travel --mem 2G
# rare: yes
# timeout: 3600
#
# 430,000 requests; some minutes. The disks are as slow as the rates are low: 32 KiB take 4 s. So loads are counted over
# a minute; the long window is as long as by default.
set -euo pipefail
. "$(dirname "$0")/../tools/paradm-daemon.sh"
. "$(dirname "$0")/../tools/policy.sh"

WEEK=$((7 * 86400))
OUT=$MACHINE_TMP

# Phases for series.py: hours, requests a second, percent of reads, bytes. On working days three members do not suffice
# from 9 to 15 h.
phases() {
	local day rates hours=(7 2 6 5 4) i
	for day in 1 2 3 4 5 6 7; do
		rates=(0.04 0.15 0.69 0.15 0.04)
		[ "$day" -le 5 ] || rates=(0.01 0.04 0.17 0.04 0.01)
		for i in "${!hours[@]}"; do echo "$((hours[i] * 3600)):${rates[i]}:99:32768"; done
	done
}

create_slow_array() {
	local span
	build_replay
	mkspindles 5 48M rate_kib=8 spin_up_ms=15000 spin_down_ms=2000 \
		active_mw=9000 idle_mw=5000 standby_mw=1000 spin_up_mw=24000 spin_down_mw=2000
	create_par 3,5 --chunk=64
	span=$(blockdev --getsize64 "/dev/$MD")
	mapfile -t phases < <(phases)
	"$TOOLS/series.py" 60 "$span" 1 "$OUT/files" "$OUT/requests" "${phases[@]}"
	"$REPLAY" "/dev/$MD" -l "$OUT/files" >/dev/null
	settle
}

# live_week NUMBER: the same requests each week; leaves OUT/latencies.NUMBER, and prints the J used.
live_week() {
	local before after said
	before=$(joules)
	said=$("$REPLAY" "/dev/$MD" -l "$OUT/requests" -o "$OUT/latencies.$1")
	assert_match "$said" ' errors 0 ' "week $1" >&2
	nap $((BEGINS + $1 * WEEK - EPOCHSECONDS))
	after=$(joules)
	echo $((after - before))
}

note "a Monday begins"
nap $(($(date -u -d '2030-01-06 22:00' +%s) - EPOCHSECONDS))
create_slow_array
BEGINS=$(date -u -d '2030-01-07 00:00' +%s)
[ "$EPOCHSECONDS" -lt "$BEGINS" ] || fail "the array took too long to make"
start_daemon
says '' policy set policy=auto interval=60000 window_short=1 window_long=5 up_wait=0
says '' schedule apply
nap $((BEGINS - EPOCHSECONDS))

for week in 1 2 3 4; do
	JOULES[week]=$(live_week "$week")
	note "week $week: ${JOULES[week]} J"
	[ "$week" = 1 ] || assert_le "${JOULES[week]}" $((JOULES[1] * 1002 / 1000)) "J of week $week, and of the first plus 0.2 %"
done
# Events are stored every five minutes.
nap 400

note "the schedule"
json '.arrays[0] | .follows, .good_enough, .days >= 28, .right.percent >= 90, (.day_types | map(join(" ")) | join(", "))' \
	schedule show
assert_eq "$JSON" $'true\ntrue\ntrue\ntrue\nMon Tue Wed Thu Fri, Sat Sun' "schedule"
json '.arrays[0].right | "\(.percent) % of \(.hours) hours right, \(.percent_alike) % if all days were alike"' \
	schedule show
note "$JSON"

note "shifts and requests that arrived while the array shifted up for its load"
/usr/bin/python3 - "$DATABASE" "$BEGINS" "$OUT" <<'END'
import sqlite3, sys

begins, out = int(sys.argv[2]), sys.argv[3]
DAY, HOUR, WEEK = 86400, 3600, 7 * 86400
events = sqlite3.connect(sys.argv[1]).execute(
    "SELECT time, kind, gear, cause, what FROM event WHERE kind IN ('shift', 'decision') AND time >= ? ORDER BY id",
    (begins,)).fetchall()
shifts = [(time - begins, gear) for time, kind, gear, _, _ in events if kind == "shift"]

def gear_at(second):
    gear = 5
    for time, to in shifts:
        if time > second:
            break
        gear = to
    return gear

# From the decision to shift up, for load, to the end of the shift.
waits, began = [], None
for time, kind, gear, cause, what in events:
    if kind == "decision" and what == "up" and cause in ("load", "wait"):
        began = time - begins
    elif kind == "shift":
        if began is not None and gear == 5:
            waits.append((began, time - begins))
        began = None

waited, wrong = [0] * 5, []
for week in range(1, 5):
    with open(f"{out}/latencies.{week}", encoding="ascii") as lines:
        times = [(week - 1) * WEEK + int(line.split(None, 1)[0]) // 10 ** 9 for line in lines]
    for first, last in waits:
        waited[week] += sum(first <= time <= last for time in times)
    for day in range(7):
        midnight = (week - 1) * WEEK + day * DAY
        ups = sum(midnight <= time < midnight + DAY and gear == 5 for time, gear in shifts)
        if day >= 5 and week > 1 and ups:
            wrong.append(f"week {week}, day {day + 1}: {ups} shifts up on a day of rest")
        if day < 5 and not ups:
            wrong.append(f"week {week}, day {day + 1}: no shift up")
        if day < 5 and week > 1 and gear_at(midnight + 9 * HOUR) != 5:
            wrong.append(f"week {week}, day {day + 1}: in gear {gear_at(midnight + 9 * HOUR)} at nine")
        if gear_at(midnight + 6 * HOUR) != 3 and (week, day) != (1, 0):
            wrong.append(f"week {week}, day {day + 1}: not in gear 3 at night")
    print(f"# week {week}: {waited[week]} of {len(times)} requests waited,",
          sum((week - 1) * WEEK <= time < week * WEEK and gear == 5 for time, gear in shifts), "shifts up")
if waited[1] < 20:
    wrong.append("nothing waits without a schedule: the load is no test")
if sum(waited[2:]) * 10 > waited[1] * 3:
    wrong.append("more than a tenth of the requests wait")
if wrong:
    sys.exit("FAILED: " + "\n".join(wrong))
END

says '' schedule off
assert_eq "$(limits)" "3 5" "limits without the schedule"
end_daemon TERM 0
assert_eq "$(cat "$SAID_BY_DAEMON")" "" "messages of the daemon"
stop_par
