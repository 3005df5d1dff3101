#!/bin/bash
# Summaries do no harm when members fail or return, sectors are bad, a start is forced or the log dropped: each start finds what the records would have told.
# machine: --debug --time-travel
# plain: yes
. "$(dirname "$0")/../tools/log.sh"

# begin SEED MIB [ATTRIBUTE...]: an array in its low gear with an empty log. Units 0, 3, … are on members 0 and 1.
begin() { on_log 3,5 "$2" 128M "seed=$1" "${@:3}"; find_summaries; }

# has_some LEAST: the assembly since mark_log has found at least so many units by their summaries.
has_some() { assert_le "$1" "$(summarized)" "units that are found by their summaries"; }

note "bad sectors in a unit that has a summary"
begin 1 32
log_twin
stop_par
# Not the first unit, which is always read: its bad sectors would be written again at once, and all others.
deafen_log 0 128 7936
mark_log
assemble_par
has_some 15
same "one copy is deaf"
assert_le 1 "$(par log_read_errors)" "failed reads"
drained
same "drained with a deaf copy"
assert_eq "$(par log_lost) $(<"/sys/block/$MD/md/degraded")" "0 0" "bytes that are lost, members that have failed"
mend_disks
no_mismatch
end_par

# As after a failure that a cut kept from being stored: unit 3 is on members 0 and 1, and whole on member 0 only.
note "a summary that names one copy"
begin 6 32
log_twin
stop_par
PYTHONPATH=$TOOLS python3 -c '
import os, struct, sys
from dissect import BLOCK, SECTOR, crc32c
sector, *devices = sys.argv[1:]
for path in devices:
    fd = os.open(path, os.O_RDWR)
    raw = bytearray(os.pread(fd, BLOCK, int(sector) * SECTOR))
    assert struct.unpack_from("<I", raw, 40) == (3,)
    struct.pack_into("<I", raw, 40, 1)
    raw[4:8] = bytes(4)
    struct.pack_into("<I", raw, 4, crc32c(bytes(raw)))
    os.pwrite(fd, raw, int(sector) * SECTOR)
    os.fsync(fd)' $((LOG_AT + 8 * (SUMS + 3))) "${DEVS[@]:0:3}"
wipe_log 1 256 128
mark_log
assemble_par
has_some 15
same "one copy is named"
write_some 6 5
stop_par
start_without 0
same "from the copy that has been healed"
end_par

note "a member fails, and another one before the log is drained"
begin 2 32 spin_up_ms=60000
cp "$TWIN" "$TWIN.home"
log_twin
for d in 3 4; do wait_for "$SPINDLES/${DISKS[d]}/state" standby 60; done
manage --fail "${DEVS[0]}"
log_twin
sync -d "/dev/$MD"
[ "$(par gear) $(par log_live)" = "3 $((8 << 20))" ] || fail "gear $(par gear), live: $(par log_live)"
power_cut 2
mark_log
refused mdadm --assemble --run "/dev/$MD" "${DEVS[0]}" "${DEVS[@]:2}"
mdadm --assemble --force --run --quiet "/dev/$MD" "${DEVS[0]}" "${DEVS[@]:2}"
# As for a start without summaries: the first unit has no copy on a member that counts.
logged 'the log is damaged: no copy of the record at block 0 can be read'
mv "$TWIN.home" "$TWIN"
same "by force"
assert_eq "$(par log_used) $(par log_lost)" "0 0" "bytes in the log, and lost bytes"
shift_to 5
write_some 2 50
same "written again"
end_par

note "a member fails, and returns with its summaries"
begin 3 32 spin_up_ms=60000
log_twin
write_some 1 50
sync -d "/dev/$MD"
for d in 3 4; do wait_for "$SPINDLES/${DISKS[d]}/state" standby 60; done
manage --fail "${DEVS[0]}"
log_twin
write_some 2 50
sync -d "/dev/$MD"
[ "$(par gear)" = 3 ] || fail "gear $(par gear)"
power_cut 3
mark_log
start_without 0
has_some 30
same "without member 0"
wait_for "$PAR/log_used" 0 120
same "drained without member 0"
put_in 0
shift_to 3
log_twin
write_some 3 50
sync -d "/dev/$MD"
power_cut 4
mark_log
assemble_par
has_some 12
same "with member 0"
power_cut 5
mark_log
start_without 1
has_some 12
same "from the copies of member 0"
end_par

# Unit 4 is lost with its summary, and the start forced without it and the units behind it. These are written again, and
# the tail goes to unit 5, which has only the summary of before.
note "by force"
begin 4 32
log_twin
sync -d "/dev/$MD"
stop_par
for d in 0 1 2; do wipe_log "$d" $((SUMS + 4)); done
wipe_log 2 256
wipe_log 0 384
mark_log
refused assemble_par
logged 'the log is damaged: no copy of the record at block 512 can be read, and writes up to block [0-9]* had been flushed'
mdadm --assemble --force --quiet "/dev/$MD" "${DEVS[@]}"
dd if="/dev/$MD" of="$TWIN" bs=1M count=8 iflag=direct status=none
drained
assert_eq "$(newest_super 0 168)" 512 "the tail"
shift_to 3
for i in 0 1 2 3 4 5 6 7 8 9 10 11 12 13; do write_blocks $((i * 128)) 32; done
sync -d "/dev/$MD"
# Both copies of unit 5: the drain takes all others.
for d in 1 2; do cut_off_log "$d" 384 128; done
echo 5 >"$PAR/gear"
for ((i = 0; i < 300; i++)); do
	[ "$(newest_super 0 168)" != 640 ] || break
	nap 0.1
done
assert_eq "$(newest_super 0 168)" 640 "the tail after the drain"
assert_le 768 "$(newest_super 0 176)" "the end of what is flushed"
power_cut 6
mend_disks
mark_log
assemble_par
assert_eq "$(summarized)" 0 "units that are found by summaries of before the force"
same "by force, written again and cut"
end_par

note "a rescue"
begin 5 32
log_twin
drained
shift_to 3
cp "$TWIN" "$TWIN.home"
log_twin
sync -d "/dev/$MD"
stop_par
spoil_supers 0 1 2
mdadm --assemble --quiet --update=par-rescue "/dev/$MD" "${DEVS[@]}"
mv "$TWIN.home" "$TWIN"
same "rescued"
shift_to 3
for i in 1 2 3 4 5; do write_blocks $((32 * i)) 32; done
sync -d "/dev/$MD"
power_cut 7
mark_log
assemble_par
same "after the rescue and a cut"
assert_match "$(par log_replayed)" '^([5-9]|1[0-9])$' "records that are replayed"
end_par

# Unit 3 again. The start does not need this record: only the block that no copy has is lost, as in an array that runs.
note "a block of a summarized unit that no copy has"
begin 8 32
log_twin
sync -d "/dev/$MD"
stop_par
for d in 0 1; do deafen_log "$d" 261; done
mark_log
assemble_par
has_some 12
drained
assert_eq "$(par log_lost)" 4096 "bytes that are lost"
mend_disks
dd if="$TWIN" of="/dev/$MD" bs=128k oflag=direct conv=notrunc status=none
drained
assert_eq "$(par log_lost)" 0 "bytes that are lost when they have been written again"
same "written again"
end_par

note "by force, with a member of unknown content: summaries do not vouch for its copies, also not at the next start"
# Unit 39 has copies on members 0 and 1, and is read from member 1. This one has lost its superblocks and that copy, as
# another disk in its place would lack it, and member 2 is missing. The second start finds a superblock on member 1, and the
# healing had not reached unit 39.
begin 6 40
log_twin
log_twin
log_twin
sync -d "/dev/$MD"
assert_le $((40 << 19)) "$(par log_used)" "bytes of the log in use"
stop_par
spoil_supers 1
wipe_log 1 3328 128
present=("${DEVS[@]:0:2}" "${DEVS[@]:3}")
refused mdadm --assemble --run "/dev/$MD" "${present[@]}"
slow_disks 200000 0 1
mark_log
mdadm --assemble --force --run --quiet "/dev/$MD" "${present[@]}"
assert_le 25 "$(summarized)" "units that are found by their summaries"
for ((i = 0; i < 200 && $(par metadata_writes) < 8; i++)); do nap 0.01; done
assert_le 8 "$(par metadata_writes)" "blocks of metadata that are written"
power_cut 8
log_range 3328
dd if="${DEVS[1]}" bs=512 skip="$FIRST" count=8 iflag=direct status=none | cmp -s -n 4096 - /dev/zero ||
	fail "the healing has reached unit 39 before the cut"
assert_eq "$(newest_super 0 240)" "$(($(newest_super 0 184) + 1))" "the first run whose summaries count"
slow_disks 0
mark_log
mdadm --assemble --force --run --quiet "/dev/$MD" "${present[@]}"
log_since | grep -F "member 1 (${DEVS[1]#/dev/}) has no valid" && fail "member 1 has no superblock at the second start"
same "by force, after a cut"
drained
same "drained"
end_par

# write_128k BLOCK COUNT: COUNT requests of 128 KiB from block BLOCK on, all of which go into the log.
write_128k() {
	dd if=/dev/urandom of="$TWIN.part" bs=128k count="$2" status=none
	dd if="$TWIN.part" of="/dev/$MD" bs=128k seek=$(($1 * 4096)) oflag=direct,seek_bytes conv=notrunc status=none
	dd if="$TWIN.part" of="$TWIN" bs=4k seek="$1" conv=notrunc status=none
	sync -d "/dev/$MD"
}

note "unit 2 cannot be read on the two members that have it, nor its summary on any"
begin 9 12
# Units 0 to 5, of the first run, get summaries.
write_128k 0 25
nap 0.1
stop_par
deafen_log 1 128 128
deafen_log 2 128 128
for d in 0 1 2; do deafen_log "$d" $((SUMS + 2)); done
mark_log
refused assemble_par
logged 'the log is damaged'
auto_read_only mdadm --assemble --quiet --force "/dev/$MD" "${DEVS[@]}"
dd if="/dev/$MD" of="$TWIN" bs=1M count=8 iflag=direct status=none
# A start by force shifts up, so units 0 and 1 would be drained as soon as the array is writable.
for d in 0 1 2; do cut_off_log "$d" 0 128; done
cut_off_log 0 128 128
# Unit 2 and a part of unit 3, of another run.
write_128k 1500 1
shift_to 3
write_128k 1024 5
assert_le $((5 * 131072)) "$(par logged)" "bytes of the other run"
assert_le $((3 * 524288)) "$(par log_used)" "bytes in use"
power_cut 1
mend_disks

note "its summary can be read again, and the end of what was flushed is stored behind it"
assemble_par
same "after the cut"
write_128k 1536 1
crash 2
same "after another cut"
end_dissected
