#!/bin/bash
# A copy of the log with wrong content is not used, and is complete again after the next write.
# machine: --debug --mem 1G
. "$(dirname "$0")/../tools/log.sh"

mkdisks 5 64M
create_logged 3,5 8 --chunk=64
fill_twin
shift_to 3
find_log
write_some 1 300
for d in 0 1 2; do
	stop_par
	wipe_log "$d"
	assemble_par
	[ "$(par log_replayed)" -gt 0 ] || fail "nothing is replayed"
	same "without the log of member $d"
	# This write makes the array store the missing records on member $d again.
	write_some "2$d" 5
	same "with the log of member $d again"
done
# Until here one of two copies was always left. If both are damaged, the start is refused.
stop_par
wipe_log 0
wipe_log 1
mark_log
! assemble_par 2>/dev/null || fail "a log without any copy of some records is started"
logged 'the log is damaged'
