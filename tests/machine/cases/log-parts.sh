#!/bin/bash
# Without parity, a task never sends two parts of one write to the home set while none of them can begin.
# machine: --debug --mem 1G
. "$(dirname "$0")/../tools/log.sh"

TRACE=/sys/kernel/tracing/instances/parts

# sent KIB AT: a write of KIB at AT KiB, from one task. MINE: how many requests to virtual members that task has sent; no other
# disks are without a device number. ALL: how many there were; works send those to images.
sent() {
	local events
	dd if=/dev/urandom of="$MACHINE_TMP/part" bs="${1}k" count=1 iflag=fullblock status=none
	echo >"$TRACE/trace"
	echo 1 >"$TRACE/tracing_on"
	dd if="$MACHINE_TMP/part" of="/dev/$MD" bs="${1}k" oflag=direct,seek_bytes seek="$(($2 * 1024))" status=none
	echo 0 >"$TRACE/tracing_on"
	dd if="$MACHINE_TMP/part" of="$TWIN" bs="${1}k" oflag=seek_bytes seek="$(($2 * 1024))" conv=notrunc status=none
	events=$(grep 'block_bio_queue: 0,0 W' "$TRACE/trace" || true)
	MINE=$(grep -c '\[dd\]$' <<<"$events" || true)
	ALL=$(grep -c . <<<"$events" || true)
	note "$LAYOUT: $1 KiB at $2 KiB: $MINE of $ALL requests are sent by the task"
}

mkdir "$TRACE"
echo 0 >"$TRACE/tracing_on"
echo 1 >"$TRACE/events/block/block_bio_queue/enable"
on_log raid0:2,5 8
# The middle passes by the log. If the log was full, the other parts would do so, too.
sent 1020 4
assert_eq "$MINE" 0 "requests of a write of several parts that the task sends"
[ "$ALL" -ge 14 ] || fail "the chunks of the write did not pass by the log: $ALL"
# One part needs no other task.
sent 640 1280
assert_eq "$MINE" 10 "requests of whole chunks that the task sends"
same "in the low gear"
end_par
rmdir "$TRACE"
