#!/bin/bash
# Of a real array with a write log paradm status shows what is in use, drained, lost and failed to be read, explain has remarks on it, and neither wakes a sleeper.
# needs: paradm
# plain: yes
. "$(dirname "$0")/../tools/paradm.sh"
. "$(dirname "$0")/../tools/log.sh"

# agrees CODE: status --json ends with that exit code, and has what the files have.
agrees() {
	local said field file
	ask "$1" status --json
	said=$SAID
	while read -r field file; do
		assert_eq "$(jq -r ".arrays[0].log.$field" <<<"$said")" "$(par "$file")" "$field in paradm status --json"
	done <<-'END'
		bytes log_size
		area_bytes log_size_max
		state log_state
		used_bytes log_used
		live_bytes log_live
		memory_bytes log_memory
		logged_bytes logged
		drained_bytes drained
		replayed log_replayed
		read_errors log_read_errors
		lost_bytes log_lost
	END
}

on_log 3,5 8
watch_sleepers

note "an empty log, and one with records"
agrees 0
says $'\n  log 0 % of [0-9.]+ MB, empty\n' status
for i in 0 1 2 3 4 5 6 7 8 9; do write_blocks $((100 + i * 40)) 40; done
wait_for "$PAR/log_state" records 30
agrees 0
assert_ne "$(par log_used)" 0 "log_used"
says $'\n  log [1-9][0-9]* % of [0-9.]+ MB, records\n' status

note "reads of a copy that fail"
for i in 0 1; do
	# After a minute without a record the log would be drained.
	write_blocks 100 40
	deafen_log "$i"
	same "without the log of member $i"
	mend_disks
done
agrees 0
failed=$(par log_read_errors)
assert_ne "$failed" 0 "log_read_errors"
says ", $failed reads? of a copy failed"$'\n' status
says "reads of a copy in the write log that have failed since the array was started: $failed;" explain
assert_asleep "of a log whose copies fail"

note "a log that is being drained"
# Blocks that lie apart are drained slowly by slow disks.
wait_for "$PAR/log_state" empty
drained=$(par drained)
scatter 300
live=$(par log_live)
slow_disks 300000
echo 5 >"$PAR/gear"
wait_for "$PAR/log_state" draining 60
says $'\n  log [1-9][0-9]* % of [0-9.]+ MB, draining' status
says 'what is in the write log is being written home; [1-9][0-9]* % of the log is in use' explain
slow_disks 0
wait_for "$PAR/log_used" 0 60
settle
agrees 0
assert_eq "$(par drained)" $((drained + live)) "drained"
says $'\n  log 0 % of [0-9.]+ MB, empty' status

note "content that is lost, until it is written again"
shift_to 3
write_blocks 1200 2
for i in 0 1 2; do deafen_log "$i"; done
echo 5 >"$PAR/gear"
wait_for "$PAR/log_lost" 8192 60
agrees 1
ask 1 status
assert_match "$SAID" ', 8.19 kB of the array lost \(paradm doctor\)' "paradm status"
says '8.19 kB whose newest content was in the write log are lost' explain
mend_disks
write_blocks 1200 2
wait_for "$PAR/log_lost" 0 60
wait_for "$PAR/log_used" 0 60
agrees 0
same "at last"

note "a log that is off"
settle
echo 0 >"$PAR/log_size"
json '.arrays[0].log' status
assert_eq "$JSON" null "the log in paradm status --json"
stop_par
