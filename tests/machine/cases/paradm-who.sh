#!/bin/bash
# paradm who names processes that wake a sleeper, access it past the array, or use the array; it wakes no sleeper itself, and leaves no tracing behind.
# needs: paradm
. "$(dirname "$0")/../tools/paradm.sh"

TRACING=/sys/kernel/tracing
mountpoint -q $TRACING || mount -t tracefs none $TRACING
LOG=/var/lib/paradm/who.jsonl
rm -f $LOG

# watched OUTPUT ARGUMENT...: start paradm who with its output in OUTPUT; return once it traces.
watched() {
	local output=$1
	shift
	"$PARADM" who "$@" >"$output" 2>"$output.err" </dev/null &
	WATCHER=$!
	for _ in {1..100}; do
		[ ! -e "$TRACING/instances/paradm-who-$WATCHER/trace_pipe" ] || { nap 0.5; return; }
		nap 0.1
	done
	fail "paradm who does not trace: $(cat "$output.err")"
}

# stops OUTPUT: the process ends on a signal, without an error, and removes its tracing instance.
stops() {
	kill -INT "$WATCHER"
	wait "$WATCHER" || fail "paradm who: exit code $?: $(cat "$1.err")"
	assert_eq "$(cat "$1.err")" "" "errors of paradm who"
	assert_eq "$(find $TRACING/instances -mindepth 1 -maxdepth 1)" "" "instances of tracefs"
}

on_spindles 3,5 48M
fill 16
ask 0 shift 3
settle
for d in 3 4; do wait_for "/sys/block/$MD/md/par/member$d/power_state" asleep 60; done

note "looking and watching wake nothing, and a user of the array is named"
watch_sleepers
ask 0 who
ask 0 who --json
watched "$MACHINE_TMP/users" --live --json
dd if="/dev/$MD" of=/dev/null bs=64k count=8 iflag=direct status=none
nap 1
stops "$MACHINE_TMP/users"
assert_asleep "of paradm who"
assert_eq "$(jq -r '.arrays[0].users[] | select(.process.comm == "dd") | "\(.reads > 0) \(.read_bytes)"' "$MACHINE_TMP/users")" \
	"true 524288" "what dd has read"
assert_eq "$(jq -r '.arrays[0] | "\(.touches | length) \(.wakes | length)"' "$MACHINE_TMP/users")" "0 0" "touches and wakes"
assert_match "$(jq -r '.sources | join(" ")' "$MACHINE_TMP/users")" \
	'block_bio_queue .*block_rq_issue .*mark_inode_dirty .*par_decision' "events that are traced"

note "a process that reads a sleeper past the array is named"
watched "$MACHINE_TMP/live" --live --log
dd if="${DEVS[4]}" of=/dev/null bs=4k count=1 iflag=direct status=none
wait_for "/sys/block/$MD/md/par/member4/power_state" active 30
nap 1
stops "$MACHINE_TMP/live"
live=$(cat "$MACHINE_TMP/live")
assert_match "$live" "member 4 \(${DISKS[4]}\) was woken: process dd\[" "paradm who --live"
assert_match "$live" "member 4 \(${DISKS[4]}\) gets requests past the array from dd\[" "paradm who --live"
assert_eq "$(jq -r '"\(.what) \(.member) \(.process.comm)"' $LOG | sort)" $'touch 4 dd\nwake 4 dd' "the log"
says '[0-9-]+ +md0 +1 +[0-9]+ +dd' who
json '.days[0].totals | map("\(.by) \(.wakes > 0) \(.requests > 0)") | join(", ")' who
assert_match "$JSON" '^dd( \(.*\))? true true$' "totals of the day"

note "a process that has a file open on the array"
exec 7<"/dev/$MD"
json '.arrays[0].open[] | select(.comm == "bash" or .comm == "paradm-who.sh") | .files[0]' who
assert_match "$JSON" "^/dev/$MD" "open files"
exec 7<&-

note "tracing needs root"
code=0
SAID=$(setpriv --reuid=65534 --regid=65534 --clear-groups "$PARADM" who --live --for 1s 2>&1) || code=$?
assert_eq "$code" 4 "exit code of paradm who --live as nobody: $SAID"
refuses 3 'md7 is not a running par array' who md7 --live
stop_par
refuses 3 'no par array runs here$' who --live --for 1s
