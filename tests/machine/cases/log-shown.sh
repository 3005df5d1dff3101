#!/bin/bash
# The tracepoints, /proc/mdstat, mdadm --detail and --examine say of a log what sysfs, the superblock and the writes say.
# machine: --time-travel
. "$(dirname "$0")/../tools/log.sh"

TRACE=/sys/kernel/tracing/instances/log

trace() {
	mountpoint -q /sys/kernel/tracing || mount -t tracefs tracefs /sys/kernel/tracing
	mkdir "$TRACE"
	echo 1 >"$TRACE/events/raid_par/par_log_record/enable"
	echo 1 >"$TRACE/events/raid_par/par_log_drained/enable"
}

# traced EVENT FIELD...: print these fields of each such event of the array, a line for each event.
traced() {
	python3 -c '
import re, sys
for line in open(sys.argv[1]):
    event = re.search(r" %s: %s (.*)" % tuple(sys.argv[2:4]), line)
    if event:
        fields = dict(field.split("=") for field in event[1].split())
        print(*(fields[name] for name in sys.argv[4:]))' "$TRACE/trace" "$1" "$MD" "${@:2}"
}

# mdstat: set SAID to what /proc/mdstat says of the array. says_no_drain WHEN: this is not said there.
mdstat() { SAID=$(</proc/mdstat) SAID=${SAID#*"$MD : "}; }
says_no_drain() { mdstat; [[ $SAID != *drain* ]] || fail "$1: $SAID"; }

# detailed NAME FILE WHEN: --detail has the KiB of that file.
detailed() {
	assert_match "$(mdadm --detail "/dev/$MD")" \
		"(^|"$'\n'") *$1 : $(($(par "$2") >> 10))("$'\n'"| \()" "--detail, $3"
}

# examined UNUSED: the whole log of each device, and what is not used of all of it, copies not counted; in KiB.
examined() {
	local said exported kib=$((LOG_LENGTH / 2))
	said=$(mdadm --examine "${DEVS[0]}")
	exported=$(mdadm --examine --export "${DEVS[0]}")
	assert_match "$said" $'\n'" *Log Size : $kib KiB .*on each device that never sleeps"$'\n' "--examine"
	assert_match "$said" " Array Size : $(($(array_bytes) >> 10)) KiB" "--examine"
	assert_match "$exported" $'\n'"MD_PAR_LOG_SIZE=${kib}K"$'\n' "--examine --export"
	if [ "$1" = 0 ]; then
		[[ $said$exported != *@("Log Unused"|LOG_UNUSED)* ]] || fail "--examine: $said $exported"
	else
		assert_match "$said" $'\n'" *Log Unused : $1 KiB .*of the whole log, without copies"$'\n' "--examine"
		assert_match "$exported" $'\n'"MD_PAR_LOG_UNUSED=${1}K"$'\n' "--examine --export"
	fi
}

# memory_is_small WHEN: at most 16 bytes for each block of 4 KiB of the largest log, but not none.
memory_is_small() {
	assert_le 1 "$(par log_memory)" "log_memory, $1"
	assert_le "$(par log_memory)" $(($(par log_size_max) / 256)) "log_memory, $1"
}

# records_are RECORDS: they follow each other from the log's tail on, and have all that was logged, and the newest run.
records_are() {
	local pos run blocks used last next newest sum=0 count=0
	next=$(newest_super 0 168) newest=$(newest_super 0 184)
	while read -r pos run blocks used; do
		assert_eq "$pos" "$next" "position of record $count"
		assert_eq "$run" "$newest" "run of record $count"
		# A unit of 128 blocks does not end with a block for a header without data.
		next=$((pos + blocks + 1))
		[ $((next % 128)) != 127 ] || next=$((next + 1))
		last=$used sum=$((sum + blocks)) count=$((count + 1))
	done < <(traced par_log_record pos run blocks used)
	assert_le 6 "$count" "records"
	assert_eq $((sum * 4096)) "$(par logged)" "logged, by the records"
	assert_eq $((last * 4096)) "$(par log_used)" "log_used, by the last record"
	HEAD=$next
}

# drains_are ERROR BLOCKS LIVE TAIL USED: this is what the last drain of blocks says.
drains_are() { assert_eq "$(traced par_log_drained error blocks live tail used | tail -1)" "$*" "the last drain"; }

on_log 3,5 8
assert_eq $((LOG_LENGTH * 512 * 3 / 2)) "$(par log_size)" "log_size"
trace
says_no_drain "with an empty log"
detailed 'Log Size' log_size "an empty log"
assert_match "$(mdadm --detail "/dev/$MD")" $'\n *Log Used : 0\n' "--detail, an empty log"
examined 0
memory_is_small "an empty log"

note "records"
for ((i = 0; i < 6; i++)); do write_blocks $((i * 40)) 31; done
write_blocks 7 5	# in the log already
assert_eq "$(par log_live)" $((6 * 31 * 4096)) "log_live"
records_are
says_no_drain "with records"
detailed 'Log Used' log_used "with records"
memory_is_small "with records"
assert_eq "$(traced par_log_drained blocks)" "" "drains"

note "a drain that fails"
for d in 0 1 2; do cut_off_log "$d"; done
tail=$(newest_super 0 168) used=$(($(par log_used) / 4096))
echo 5 >"$PAR/gear"
for ((i = 0; i < 600; i++)); do ! grep -q par_log_drained: "$TRACE/trace" || break; nap 0.1; done
drains_are -5 $((6 * 31)) $((6 * 31)) "$tail" "$used"

note "a drain that takes long"
slow_disks 1000000
mend_disks
for ((i = 0; i < 600; i++)); do mdstat; [[ $SAID != *drain* ]] || break; nap 0.1; done
assert_match "$SAID" ' gear 5 of 3,5, draining the log \[5/5\]' "/proc/mdstat"
[ "$(par log_live)" -gt 0 ] || fail "nothing is left to be drained"
detailed 'Log Used' log_used "in a drain"
slow_disks 0
wait_for "$PAR/log_state" empty 100
says_no_drain "drained"
drains_are 0 $((6 * 31)) 0 "$HEAD" 0
assert_eq "$(par drained)" $((6 * 31 * 4096)) "bytes that are drained"
same "drained"

note "half of the log"
echo $((6 << 20)) >"$PAR/log_size"
detailed 'Log Size' log_size "half of the log"
examined $((($(par log_size_max) - $(par log_size)) >> 10))
stop_par
rmdir "$TRACE"
