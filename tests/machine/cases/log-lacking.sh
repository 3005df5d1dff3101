#!/bin/bash
# A bad sector in a copy of the log makes only the record that contains it lacking, and the records that the healing has written count even if the healing does not end.
. "$(dirname "$0")/../tools/log.sh"

# begin: five records in the first unit of the log, which is on members 0 and 1.
begin() {
	local i
	on_log 3,5 8
	for i in 1 2 3 4 5; do write_blocks "${i}00"; done
	sync -d "/dev/$MD"
	stop_par
}

# assemble_idle: the array does not become writable before the first write.
assemble_idle() {
	auto_read_only assemble_par
	assert_eq "$(par log_replayed)" 5 "records that are replayed"
}

# same_but BLOCK WHEN: the array has what the file has, except this block, which cannot be read.
same_but() {
	local i
	for i in 100 200 300 400 500; do
		[ "$i" != "$1" ] || continue
		cmp <(dd if="/dev/$MD" bs=4k skip="$i" count=1 iflag=direct status=none) \
			<(dd if="$TWIN" bs=4k skip="$i" count=1 status=none) || fail "$2: block $i"
	done
	! read_blocks "$1" 2>/dev/null || fail "$2: block $1 can be read"
}

# settled: the log can be used again. Only block 300 is lost, until it is written.
settled() {
	wait_for "$PAR/log_state" empty 60
	assert_eq "$(par log_lost)" 4096 "bytes that are lost"
	same_but 300 "drained"
	write_blocks 300
	same "written again"
	wait_for "$PAR/log_used" 0 60
	assert_eq "$(par log_lost)" 0 "bytes that are lost at last"
	end_par
}

note "one bad sector in a copy, and the other copy goes before the healing"
begin
deafen_log 1 5	# the data of the third record
assemble_idle
manage --fail "${DEVS[0]}"
same_but 300 "member 0 has failed"
write_blocks 600
settled

note "the other copy goes while the healing is under way"
begin
wipe_log 1 0 10
assemble_idle
# The healing ends here, and the drain cannot read these blocks together with the others.
deafen_log 0 5
cut_off_log 0 7 4
write_blocks 600 &
wait_for "$PAR/log_state" stuck 30
deafen_log 0 0 6
for i in 100 200; do read_blocks "$i" || fail "block $i, which the healing has written, cannot be read"; done
mend_disks
deafen_log 0 5
wait "$!"
settled
