#!/bin/bash
# Without parity, a task never sends two parts of one write to the home set while none of them can begin; and a read of logged blocks takes none of the clones that writes keep until the drain has ended, for which it would wait without memory.
. "$(dirname "$0")/../tools/log.sh"

TRACE=/sys/kernel/tracing/instances/tasks

# traced COMMAND...: trace while the command runs.
traced() {
	echo >"$TRACE/trace"
	echo 1 >"$TRACE/tracing_on"
	"$@"
	echo 0 >"$TRACE/tracing_on"
}

# sent KIB AT: a write of KIB at AT KiB, from one task. MINE: how many requests to virtual members that task has sent; no other
# disks are without a device number. ALL: how many there were; works send those to images.
sent() {
	local events
	dd if=/dev/urandom of="$MACHINE_TMP/part" bs="${1}k" count=1 iflag=fullblock status=none
	traced dd if="$MACHINE_TMP/part" of="/dev/$MD" bs="${1}k" oflag=direct,seek_bytes seek="$(($2 * 1024))" status=none
	dd if="$MACHINE_TMP/part" of="$TWIN" bs="${1}k" oflag=seek_bytes seek="$(($2 * 1024))" conv=notrunc status=none
	events=$(grep 'block_bio_queue: 0,0 W' "$TRACE/trace" || true)
	MINE=$(grep -c '\[dd\]$' <<<"$events" || true)
	ALL=$(grep -c . <<<"$events" || true)
	note "$LAYOUT: $1 KiB at $2 KiB: $MINE of $ALL requests are sent by the task"
}

# taken COMMAND...: print the sizes of what the task of this command takes from pools.
taken() {
	traced "$@"
	sed -n 's/.*mempool_alloc_slab.* bytes_req=\([0-9]*\) .*/\1/p' "$TRACE/trace" | sort -u
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
echo 0 >"$TRACE/events/block/block_bio_queue/enable"

echo 'comm == "dd"' >"$TRACE/events/kmem/kmem_cache_alloc/filter"
echo 1 >"$TRACE/events/kmem/kmem_cache_alloc/enable"
on_log 3,5 8
written=$(taken dd if=/dev/zero of="/dev/$MD" bs=4k count=1 seek=100 oflag=direct status=none)
[ "$(par log_live)" -gt 0 ] || fail "nothing is logged"
assert_match "$written" '^[0-9]+$' "the size of a write's clone"
read=$(taken read_blocks 100)
note "a write takes $written, a read of it ${read//$'\n'/ and } bytes"
[ -n "$read" ] || fail "a read of the log takes nothing from pools"
for size in $read; do
	[ "$size" != "$written" ] || fail "a read of the log takes a clone of those that writes may have all of"
done
end_par
rmdir "$TRACE"
