#!/bin/bash
# With a daily rhythm and quiet weekends an array learns its schedule in a week, and follows it for three more: at most a tenth of the requests wait, with no more energy.
# needs: paradm
# machine: --time-travel --mem 1G
# rare: yes
# timeout: 600
# 200,000 requests. Their rates are low, and so are the disks' (32 KiB take 2 s) and the thresholds: above these the
# disks are busy for some 20 percent of the time, and no request waits for many others. Loads are counted over a minute.
. "$(dirname "$0")/../tools/paradm-daemon.sh"
. "$(dirname "$0")/../tools/policy.sh"

# The disks are slow on purpose: to copy a batch of 1 MiB takes more than a minute.
echo 300 >/proc/sys/kernel/hung_task_timeout_secs

WEEK=$((7 * 86400))
OUT=$MACHINE_TMP

# Phases for series.py: hours, requests a second, percent of reads, bytes. On working days three members do not suffice
# from 9 to 15 h: five are busy for 14 percent of the time then, and with up_threshold=15 three may have 9 percent of
# what five can do.
phases() {
	local day rates hours=(7 2 6 5 4) i
	for day in 1 2 3 4 5 6 7; do
		rates=(0.02 0.05 0.35 0.05 0.02)
		[ "$day" -le 5 ] || rates=(0.005 0.02 0.06 0.02 0.005)
		for i in "${!hours[@]}"; do echo "$((hours[i] * 3600)):${rates[i]}:99:32768"; done
	done
}

create_slow_array() {
	local span week
	build_replay
	mkspindles 5 48M rate_kib=16 spin_up_ms=15000 spin_down_ms=2000 \
		active_mw=9000 idle_mw=5000 standby_mw=1000 spin_up_mw=24000 spin_down_mw=2000
	create_par 3,5 --chunk=64
	span=$(blockdev --getsize64 "/dev/$MD")
	mapfile -t phases < <(phases)
	for week in 1 2 3 4; do
		"$TOOLS/series.py" 60 "$span" "$week" "$OUT/files" "$OUT/requests.$week" "${phases[@]}"
		"$REPLAY" "/dev/$MD" -l "$OUT/files" >/dev/null
	done
	settle
}

# live_week NUMBER: each week has other random requests; leaves OUT/latencies.NUMBER, and prints the J used.
live_week() {
	local before after said
	before=$(joules)
	said=$("$REPLAY" "/dev/$MD" -l "$OUT/requests.$1" -o "$OUT/latencies.$1")
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
says '' policy set policy=auto up_threshold=15 down_threshold=8 interval=60000 window_short=1 window_long=5 up_wait=0
nap $((BEGINS - EPOCHSECONDS))

for week in 1 2 3 4; do
	JOULES[week]=$(live_week "$week")
	note "week $week: ${JOULES[week]} J"
	if [ "$week" = 1 ]; then
		says '' schedule apply
	else
		assert_le "${JOULES[week]}" $((JOULES[1] * 1002 / 1000)) "J of week $week, and of the first plus 0.2 %"
	fi
done
# Events are stored every five minutes.
nap 400

note "the schedule"
json '.arrays[0] | .follows, .good_enough, .days >= 28, .right.percent >= 90, (.day_types | map(join(" ")) | join(", "))' \
	schedule show
assert_eq "$JSON" $'true\ntrue\ntrue\ntrue\nMon Tue Wed Thu Fri, Sat Sun' "schedule"
json '.arrays[0].right | "\(.percent | round) % of \(.hours) hours right, \(.percent_alike | round) % if all days were alike"' \
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

# From the decision to shift up to the end of the shift, and whether it was for load.
ups, began = [], None
for time, kind, gear, cause, what in events:
    if kind == "decision" and what == "up":
        began = time - begins, cause in ("load", "wait")
    elif kind == "shift":
        if began is not None and gear == 5:
            ups.append((*began, time - begins))
        began = None

def is_busy(second):
    """Three members do not suffice."""
    return second % WEEK < 5 * DAY and 9 * HOUR <= second % DAY < 15 * HOUR

def waits(time):
    """Whatever the array shifts up for: a request waits if the low gear does not bear the load."""
    return any(first <= time <= last and (load or is_busy(time)) for first, load, last in ups)

waited, wrong = [0] * 5, []
for week in range(1, 5):
    with open(f"{out}/latencies.{week}", encoding="ascii") as lines:
        times = [(week - 1) * WEEK + int(line.split(None, 1)[0]) // 10 ** 9 for line in lines]
    waited[week] = sum(map(waits, times))
    for day in range(7):
        midnight = (week - 1) * WEEK + day * DAY
        shifts_up = sum(midnight <= time < midnight + DAY and gear == 5 for time, gear in shifts)
        if day >= 5 and week > 1 and shifts_up:
            wrong.append(f"week {week}, day {day + 1}: {shifts_up} shifts up on a day of rest")
        if day < 5 and not shifts_up:
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
