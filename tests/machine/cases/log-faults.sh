#!/bin/bash
# A damaged log is started once by force, or by a rescue, and all members' logs are read then; bad sectors in different copies lose no data, and missing copies only the records that no other copy has; each write is counted once.
# plain: yes
. "$(dirname "$0")/../tools/log.sh"

# begin: an array in its low gear with an empty log. The next record is in unit 0, on members 0 and 1.
begin() {
	on_log 3,5 8
}

drained() {
	echo 5 >"$PAR/gear"
	wait_for "$PAR/log_used" 0 60
}

# The first record, which had been flushed, is gone. The records behind it say that it was flushed. They would refuse
# the next start as well, if the start by force did not store the end of the log, with a new run.
force_once() {
	begin
	cp "$TWIN" "$TWIN.home"
	write_blocks 100
	sync -d "/dev/$MD"
	write_some 1 50
	sync -d "/dev/$MD"
	stop_par
	wipe_log 0 0
	wipe_log 1 0
	mark_log
	! assemble_par 2>/dev/null || fail "a damaged log is started"
	logged 'the log is damaged'
	mdadm --assemble --force --quiet "/dev/$MD" "${DEVS[@]}"
	mv "$TWIN.home" "$TWIN"
	same "by force"
	reassemble_par
	same "after a stop"
	crash 3
	same "after a cut"
	shift_to 3
	write_some 2 50
	flushed_crash 4
	[ "$(par log_replayed)" -gt 0 ] || fail "nothing is replayed"
	same "after another one"
	end_par
}

# A flushed record and the newest version of the map are gone: only a rescue starts the array, and it does.
rescued() {
	begin
	cp "$TWIN" "$TWIN.home"
	write_blocks 100
	sync -d "/dev/$MD"
	write_some 5 50
	sync -d "/dev/$MD"
	stop_par
	wipe_log 0 0
	wipe_log 1 0
	"$TOOLS/spoil.py" torn --blocks map "${DEVS[@]}"
	mark_log
	refused mdadm --assemble --force "/dev/$MD" "${DEVS[@]}"
	logged 'newest version of map block [0-9]+ is valid on no member'
	not_logged 'the log is damaged'
	mark_log
	mdadm --assemble --update=par-rescue --quiet "/dev/$MD" "${DEVS[@]}" || fail "the rescue of a damaged log is refused"
	logged 'the log is damaged'
	mv "$TWIN.home" "$TWIN"
	same "rescued"
	reassemble_par
	same "after the rescue and a stop"
	end_par
}

# Two of the members that never sleep have lost their superblocks. By force their data is used as it is, and so are
# their copies of the log, without which some records have none.
stand_in() {
	begin
	write_some 3 200
	sync -d "/dev/$MD"
	assert_le 1572864 "$(par log_used)" "bytes of the log in use, which are three units"
	stop_par
	spoil_supers 0 1
	! assemble_par 2>/dev/null || fail "an array is started of which two members are unknown"
	mdadm --assemble --force --quiet "/dev/$MD" "${DEVS[@]}"
	same "with members that stand in"
	shift_to 3
	write_some 4 200
	flushed_crash 5
	[ "$(par log_replayed)" -gt 0 ] || fail "nothing is replayed after that"
	same "after a cut"
	drained
	same "drained"
	no_mismatch
	end_par
}

# A unit whose copies have bad sectors is read block by block: each record is whole in one copy, and later in both.
bad_sectors() {
	local i
	begin
	for i in 1 2 3 4 5; do write_blocks "${i}00"; done
	sync -d "/dev/$MD"
	stop_par
	deafen_log 0 1	# the data of the first record
	deafen_log 1 2	# the header of the second
	deafen_log 1 7	# the data of the fourth
	assemble_par
	assert_eq "$(par log_replayed)" 5 "records that are replayed"
	same "with bad sectors"
	assert_eq "$(par log_read_errors)" 0 "read errors once the copies are healed"
	for i in 0 1; do wait_for "$SPINDLES/${DISKS[i]}/errors" '' 30; done
	mark_log
	for i in 0 1; do
		deafen_log "$i"
		same "without the log of member $i"
		mend_disks
	done
	[ "$(par log_read_errors)" -gt 0 ] || fail "reads that have failed are not counted"
	logged 'a read of the log on spin0 has failed: another copy is used'
}

# said_at PATTERN: the time of the first message of the kernel with this pattern, in tenths of a second.
said_at() { log_since | awk -v want="$1" -F '[][]' '$0 ~ want { print int($2 * 10); exit }'; }

# One copy of the log is left, and it cannot be read from the second unit on: whether flushed records are there is
# unknown. Behind 3 MiB of bad sectors the records that follow show it.
patch() {
	local i left
	mkspindles 4 64M
	left=("${DEVS[0]}" "${DEVS[@]:2}")
	# Too small for summaries, with which the start would not need these sectors.
	create_logged 2,4 15 --chunk=64
	fill_twin
	cp "$TWIN" "$TWIN.home"
	shift_to 2
	find_log
	# Without intents, and started in the low gear, as after a minute without writes.
	reassemble_par
	for ((i = 0; i < 40; i++)); do write_blocks $((i * 40)) 31; done
	sync -d "/dev/$MD"
	for i in 1700 1720 1740; do write_blocks "$i"; done
	sync -d "/dev/$MD"
	power_cut 6
	deafen_log 0 128 768
	mark_log
	refused mdadm --assemble --run "/dev/$MD" "${left[@]}"
	logged 'the log is damaged'
	mend_disks
	deafen_log 0 128 $((LOG_LENGTH / 8 - 128))
	mark_log
	refused mdadm --assemble --run "/dev/$MD" "${left[@]}"
	logged 'the log may be damaged: no copy of block 128 can be read'
	mdadm --assemble --run --force --quiet "/dev/$MD" "${left[@]}"
	assert_eq "$(par log_replayed)" 4 "records that can be read"
	for i in 0 1 2 3; do
		cmp <(dd if="/dev/$MD" bs=4k skip=$((i * 40)) count=31 iflag=direct status=none) \
			<(dd if="$TWIN" bs=4k skip=$((i * 40)) count=31 status=none) || fail "the record of block $((i * 40))"
	done
	end_par
}

# A record has one copy left, which becomes unreadable before the other copy has the record. No record behind it would
# be replayed, so none is appended. The readable records are drained, and the log is used again.
gone() {
	write_blocks 200
	write_blocks 201
	write_blocks 202
	stop_par
	wipe_log 0 2
	auto_read_only assemble_par
	same "with a record on one member"
	deafen_log 1 2 2
	mark_log
	write_blocks 202 &
	wait_for "$PAR/log_state" stuck 30
	wait_for "/sys/block/$MD/inflight" '*[^0-9]0' 60
	wait "$!"
	logged 'nothing is written to the log until it has been drained'
	logged 'are lost: no copy in the log can be read'
	# The write that waits for the drain does not extend the time for which the drain retries.
	assert_le $(($(said_at 'has been drained') + 15)) "$(said_at 'are lost')" "time of the loss"
	wait_for "$PAR/log_state" empty 30
	assert_eq "$(par log_lost)" 4096 "bytes that are lost"
	! read_blocks 201 2>/dev/null || fail "the lost block can be read"
	mend_disks
	write_blocks 201
	shift_to 3
	write_blocks 203
	wait_for "$PAR/log_state" records 30
	same "written again"
	drained
	assert_eq "$(par log_lost)" 0 "bytes that are lost at last"
	same "drained"
}

# write_until_error: write blocks that stay in the log while its tail cannot move. It becomes full.
write_until_error() {
	local i
	for ((i = 0; i < 60; i++)); do
		dd if=/dev/zero of="/dev/$MD" bs=256k count=1 seek=$((700 * 4096)) oflag=direct,seek_bytes conv=notrunc \
			status=none 2>/dev/null || return 0
	done
	return 1
}

# Unreadable blocks beyond those that the list of lost blocks can hold stay in the log, until they can be read again.
too_many() {
	local d
	shift_to 3
	write_blocks 600 40
	for d in 0 1 2; do deafen_log "$d"; done
	write_blocks 700 64
	mark_log
	echo 5 >"$PAR/gear"
	wait_for "$PAR/log_lost" $((31 * 4096)) 60
	nap 1
	logged 'there is no room to remember more lost blocks'
	[ "$(par log_live)" = $((9 * 4096)) ] || fail "live: $(par log_live)"
	! read_blocks 639 2>/dev/null || fail "a block that cannot be read is read"
	write_until_error &
	until_ok 90 has_ended "$!" || fail "a write waits for a log that cannot be drained"
	wait "$!" || fail "the log does not become full"
	mend_disks
	read_blocks 639 || fail "a block that is in the log cannot be read"
	wait_for "$PAR/log_used" 0 60
	assert_eq "$(par log_lost)" $((31 * 4096)) "bytes that are lost"
	write_blocks 600 40
	write_blocks 700 64
	wait_for "$PAR/log_used" 0 60
	assert_eq "$(par log_lost)" 0 "bytes that are lost at last"
	same "written again"
}

# written: requests and sectors that the array has written since FROM, as in iostat.
written() {
	local stat
	read -r -a stat <"/sys/block/$MD/stat"
	echo "$((stat[4] - FROM[4])) $((stat[6] - FROM[6]))"
}

# A write counts once, whether it is logged, drained, or waits for the drain.
counted_once() {
	local d i
	shift_to 3
	read -r -a FROM <"/sys/block/$MD/stat"
	for i in 1 2 3 4 5; do write_blocks $((300 + i)); done
	assert_eq "$(written)" "5 40" "requests and sectors written to the log"
	drained
	assert_eq "$(written)" "5 40" "requests and sectors when they are drained"
	shift_to 3
	write_blocks 301
	# No copy can be reached: the drain cannot read a record meanwhile.
	for d in 0 1 2; do cut_off_log "$d"; done
	write_at_top 301 &
	wait_for "$TWIN.blocks.ready" yes 60
	echo 5 >"$PAR/gear"
	wait_for "/sys/block/$MD/inflight" '*[^0-9]1' 30
	mend_disks
	wait "$!"
	assert_eq "$(written)" "7 56" "requests and sectors when one has waited"
	same "after that"
}

force_once
rescued
stand_in
bad_sectors
drained
end_par
patch
begin
gone
too_many
counted_once
no_mismatch
end_par
