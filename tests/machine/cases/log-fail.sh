#!/bin/bash
# No data of the log is lost with a member that fails, with or without a cut; the old records of that member are never read again.
. "$(dirname "$0")/../tools/log.sh"

# one_fails MEMBER: a member with a part of the log fails while the log has records.
one_fails() {
	local d=$1 was
	shift_to 3
	# Only the log is written, so no parity is in doubt.
	write_some "1$d" 200
	sync -d "/dev/$MD"
	power_cut "$d"
	start_without "$d"
	same "after a cut without member $d"
	write_some "3$d" 100
	wait_for "/sys/block/$MD/md/par/log_used" 0
	same "drained without member $d"
	was=$(par logged)
	put_in "$d"
	shift_to 3
	write_some "4$d" 200
	[ "$(par logged)" -gt "$was" ] || fail "nothing is logged once member $d is back"
	same "member $d is back"
	flushed_crash "1$d"
	same "after a cut with member $d"
	manage --fail "${DEVS[d]}"
	write_some "5$d" 100
	same "member $d has failed"
	stop_par
	start_without "$d"
	same "after a stop without member $d"
	put_in "$d"
	shift_to 5
	wait_for "/sys/block/$MD/md/par/log_used" 0
	no_mismatch
}

mkspindles 5 64M seed=1
create_logged 3,5 8 --chunk=64
fill_twin
for d in 0 1 2; do
	note "member $d"
	one_fails "$d"
done
stop_par
