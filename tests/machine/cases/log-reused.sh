#!/bin/bash
# If all newer superblocks are lost, a start by force takes nothing from places of the log that were used again since: not by their old summaries either.
# machine: --time-travel --mem 1G
. "$(dirname "$0")/../tools/log.sh"

# keep_supers, put_supers: copy both superblocks of each member to files, or back.
keep_supers() {
	local d
	for d in "${!DEVS[@]}"; do
		dd if="${DEVS[d]}" of="$MACHINE_TMP/super.$d" bs=4k skip=$(($(data_offset "${DEVS[d]}") / 8)) count=2 \
			iflag=direct status=none
	done
}
put_supers() {
	local d
	for d in "${!DEVS[@]}"; do
		dd if="$MACHINE_TMP/super.$d" of="${DEVS[d]}" bs=4k seek=$(($(data_offset "${DEVS[d]}") / 8)) count=2 \
			oflag=direct conv=notrunc status=none
	done
}

# drained: the log has been idle for a minute, and everything is at home, in the low gear.
drained() { wait_for "$PAR/log_used" 0 150; }

on_log 3,5 12
find_summaries
# Within a unit, a start reads the records of the tail's unit in any case.
log_twin
keep_supers
assert_eq "$(newest_super 0 168)" 0 "tail of the superblocks that are kept"
drained
# Other blocks than those that the first units had, from here on.
scatter 1000
drained
# Up to the unit of that tail: less than a batch of summaries.
for ((left = ($(par log_size) / 4096 - $(newest_super 0 168)) / 21; left > 0; left--)); do
	assert_le "$left" 45 "records up to the tail of then"
	write_blocks $((1000 + left * 20)) 20
done
drained
cp "$TWIN" "$TWIN.home"
for ((i = 0; i < 16; i++)); do write_blocks $((1000 + i * 33)) 31; done
sync -d "/dev/$MD"
power_cut 1
put_supers
mark_log
refused assemble_par
logged "its tail was stored as block [0-9]*, and in the newest superblock that is left it is block 0"
cp "$TWIN.home" "$TWIN"
mdadm --assemble --quiet --force "/dev/$MD" "${DEVS[@]}"
same "by force"
shift_to 5
wait_for "$PAR/log_used" 0 60
same "by force, drained"
stop_par
