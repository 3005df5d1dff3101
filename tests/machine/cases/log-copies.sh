#!/bin/bash
# A copy of the log that is wrong is not used, and complete again after the next write. With RAID-6 two of the three copies can be wrong, unreadable or fail, and no data is lost, also if it starts by summaries; without any copy the start is refused.
# machine: --time-travel
. "$(dirname "$0")/../tools/log.sh"

# start WHAT [DEVICE...]: assemble these devices, or all, by the summaries of the units.
start() {
	local what=$1
	shift
	mark_log
	mdadm --assemble --quiet --run "/dev/$MD" "${@:-${DEVS[@]}}"
	assert_le 10 "$(summarized)" "$what: units that are found by their summaries"
	assert_match "$(log_since)" 'the log has [1-9][0-9]* records' "$what"
	same "$what"
}

# begin LAYOUT MIB: with summaries, in a log of 32 units or more, a start does not read what a whole unit has.
begin() { note "$1, $2 MiB"; on_log "$1" "$2"; }

# heal [MEMBER...]: a copy of each record is left without the logs of these members.
heal() {
	local d
	stop_par
	for d; do wipe_log "$d"; done
	assemble_par
	[ "$(par log_replayed)" -gt 0 ] || fail "$LAYOUT: nothing is replayed"
	same "without the logs of members ${*:-none}"
	# This write makes the array store the missing records on these members again.
	write_some "2${1:-0}" 5
	same "with the logs of members ${*:-none} again"
}

# refuse MEMBER...: without these logs some records have no copy.
refuse() {
	local d
	stop_par
	for d; do wipe_log "$d"; done
	mark_log
	! assemble_par 2>/dev/null || fail "$LAYOUT: a log without any copy of some records is started"
	logged 'the log is damaged'
	rmdisks
}

begin raid6:4,6 8
write_some 1 100
heal 0 1
heal 2 3
refuse 0 1 2
begin 3,5 8
write_some 1 300
for d in 0 1 2; do heal "$d"; done
refuse 0 1
begin raid0:2,5 4
write_some 1 100
heal
refuse 1

begin raid6:4,6 16
find_summaries
assert_le 32 "$UNITS" "units of the log"

note "two copies that cannot be read"
log_twin
write_some 1 40
stop_par
# Not the unit of the tail, whose records a start reads and stores again, nor the summaries.
for d in 0 1; do deafen_log "$d" 128 $((SUMS - 128)); done
start "two copies are deaf"
assert_le 1 "$(par log_read_errors)" "reads of a copy that have failed"
assert_eq "$(<"/sys/block/$MD/md/degraded")" 0 "members that have failed"
drained
same "two copies are deaf, drained"
mend_disks
shift_to 4
log_twin
stop_par
for d in 2 3; do deafen_log "$d" "$SUMS" "$UNITS"; done
start "the summaries of two are deaf"
mend_disks

note "two members that fail"
write_some 2 40
sync -d "/dev/$MD"
power_cut 1
start "after a cut without two members" "${DEVS[0]}" "${DEVS[3]}" "${DEVS[4]}" "${DEVS[5]}"
write_some 3 40
drained
same "without two members, drained"
manage --add "${DEVS[1]}"
put_in 2
was=$(par logged)
shift_to 4
log_twin
write_some 4 40
[ "$(par logged)" -gt "$was" ] || fail "nothing is logged once the members are back"
sync -d "/dev/$MD"
power_cut 2
start "after a cut with the members that are back"
manage --fail "${DEVS[0]}"
manage --fail "${DEVS[3]}"
same "the other two have failed"
drained
same "the other two have failed, drained"
stop_par
