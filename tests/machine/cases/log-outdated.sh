#!/bin/bash
# If the newest superblock is lost, records of the write log show it by their run or their tail: the array is refused, and by force their run is not used again, nor places of the log that were, not by their old summaries either.
# machine: --time-travel
. "$(dirname "$0")/../tools/log.sh"

LEFT=()	# all but member 1, which never sleeps either

# idle: the log has been idle for a minute, and everything is at home, in the low gear.
idle() { wait_for "$PAR/log_used" 0 150; }

# run_of NUMBER: the run of the log in the newer valid superblock of this disk of DISKS.
run_of() { newest_super "$1" 184; }

assemble_left() { mdadm --assemble --quiet --run "$@" "/dev/$MD" "${LEFT[@]}"; }

mkspindles 4 64M
LEFT=("${DEVS[0]}" "${DEVS[@]:2}")
create_logged 2,4 8 --chunk=64
fill_twin
cp "$TWIN" "$TWIN.home"
shift_to 2
# Without intents, and started in the low gear: the first store of this use is that of the run.
reassemble_par
before=$(run_of 0)
for i in 1 2 3 4 5; do write_blocks "${i}00"; done
sync -d "/dev/$MD"
assert_eq "$(run_of 0)" $((before + 1)) "run in the newest superblock"
power_cut 1
"$TOOLS/spoil.py" corrupt --newest "${DEVS[0]}"
mark_log
refused assemble_left
logged "the log has records of run $((before + 1)), and the newest superblock that is left is of run $before"
logged 'first try to start it with the members that are missing: --force .* may bring back older content'

note "by force"
assemble_left --force
cp "$TWIN.home" "$TWIN"
same "by force"
# The end of the log is stored with a run that no record has.
stop_par
[ "$(run_of 0)" -gt $((before + 1)) ] || fail "the run of the records is used again"
mark_log
assemble_left
not_logged 'the log has records of run'
assert_eq "$(par log_replayed)" 0 "records that are replayed"
write_blocks 200
same "after a stop"
end_par

note "only the tail is older"
mkspindles 4 64M
LEFT=("${DEVS[0]}" "${DEVS[@]:2}")
create_logged 2,4 8 --chunk=64
fill_twin
shift_to 2
reassemble_par
for i in 1 2 3 4 5; do write_blocks "${i}00"; done
run=$(run_of 0) tail=$(newest_super 0 168)
# The store of its tail is the next one.
idle
assert_eq "$(run_of 0)" "$run" "run after the drain"
newer=$(newest_super 0 168)
[ "$newer" -gt "$tail" ] || fail "the tail is not stored"
# A whole stripe of this array goes past the log, and the block after it to the log, with the tail.
write_blocks 96 48
write_blocks 600
sync -d "/dev/$MD"
power_cut 3
"$TOOLS/spoil.py" corrupt --newest "${DEVS[0]}"
mark_log
refused assemble_left
logged "its tail was stored as block $newer, and in the newest superblock that is left it is block $tail"
# The missing member has the newest superblock.
assemble_par
same "with the missing member"
end_par

note "all newer superblocks are lost"
on_log 3,5 12
find_summaries
# Within a unit, a start reads the records of the tail's unit in any case.
log_twin
keep_supers 0 1 2 3 4
assert_eq "$(newest_super 0 168)" 0 "tail of the superblocks that are kept"
idle
# Other blocks than those that the first units had, from here on.
scatter 1000
idle
# Up to the unit of that tail: less than a batch of summaries.
for ((left = ($(par log_size) / 4096 - $(newest_super 0 168)) / 21; left > 0; left--)); do
	assert_le "$left" 45 "records up to the tail of then"
	write_blocks $((1000 + left * 20)) 20
done
idle
cp "$TWIN" "$TWIN.home"
for ((i = 0; i < 16; i++)); do write_blocks $((1000 + i * 33)) 31; done
sync -d "/dev/$MD"
power_cut 1
put_supers 0 1 2 3 4
mark_log
refused assemble_par
logged "its tail was stored as block [0-9]*, and in the newest superblock that is left it is block 0"
cp "$TWIN.home" "$TWIN"
mdadm --assemble --quiet --force "/dev/$MD" "${DEVS[@]}"
same "by force"
drained
same "by force, drained"
stop_par
