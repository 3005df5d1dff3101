#!/bin/bash
# A read of logged blocks takes none of the clones that writes keep until the drain has ended, for which it would wait without memory.
# machine: --debug --mem 1G
. "$(dirname "$0")/../tools/log.sh"

TRACE=/sys/kernel/tracing/instances/pools

# taken COMMAND...: print the sizes of what the task of this command takes from pools.
taken() {
	echo >"$TRACE/trace"
	echo 1 >"$TRACE/tracing_on"
	"$@"
	echo 0 >"$TRACE/tracing_on"
	sed -n 's/.*mempool_alloc_slab.* bytes_req=\([0-9]*\) .*/\1/p' "$TRACE/trace" | sort -u
}

mkdir "$TRACE"
echo 0 >"$TRACE/tracing_on"
echo 'comm == "dd"' >"$TRACE/events/kmem/kmem_cache_alloc/filter"
echo 1 >"$TRACE/events/kmem/kmem_cache_alloc/enable"
mkdisks 5 64M
create_logged 3,5 8 --chunk=64
fill_twin
shift_to 3
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
