#!/bin/bash
# After a check that was interrupted, the next one leaves nothing out; sync_min, sync_max and the speed limits take effect at once, as for raid5.
# subject: sync
. "$(dirname "$0")/../tools/par.sh"

sync_file() { cat "/sys/block/$MD/md/$1"; }
completed() { local now; read -r now _ <"/sys/block/$MD/md/sync_completed"; [ "$now" != none ] || now=0; echo "$now"; }

# damage MEMBERS: damage the parity of the first and of the last row of that set.
damage() {
	local rows row
	mapfile -t rows < <(dissect --parity "$1")
	for row in "${rows[0]}" "${rows[-1]}"; do
		# shellcheck disable=SC2086  # member and sector
		set -- $row
		dd if=/dev/urandom of="${DEVS[$1]}" bs=512 seek="$2" count=8 oflag=direct conv=notrunc status=none
	done
}

# mismatches WANT WHAT: wait until the check has ended; it has found WANT mismatches.
mismatches() {
	wait_for "/sys/block/$MD/md/sync_action" idle 60
	assert_eq "$(sync_file mismatch_cnt)" "$1" "sectors found by $2"
}

begin_slowly() {
	set_sync sync_speed_max 300
	set_sync sync_speed_min 100
	set_sync sync_action check
}
fast() { set_sync sync_speed_max 1000000; set_sync sync_speed_min 100000; }

on_spindles 3,5 48M
fill 60
stop_par
damage 5
assemble_par
settle

note "the speed of a check that is under way"
begin_slowly
sleep 2
assert_eq "$(sync_file sync_action)" check "sync_action while it is slow"
fast
mismatches 16 "a check"

note "interrupted, and started again"
begin_slowly
sync_at 4096
set_sync sync_action idle
wait_for "/sys/block/$MD/md/sync_action" idle
assert_le 1 "$(sync_file sync_min)" "sync_min after a check that was interrupted"
fast
set_sync sync_min 0
set_sync sync_action check
mismatches 16 "a check from the start after one that was broken off"

note "interrupted at its limit, and started again"
set_sync sync_min 0
set_sync sync_max 16384
set_sync sync_action check
sync_at 16384
set_sync sync_action idle
wait_for "/sys/block/$MD/md/sync_action" idle
set_sync sync_min 0
set_sync sync_max max
set_sync sync_action check
mismatches 16 "a check after one that had come to its limit"
set_sync sync_max 16384
set_sync sync_action check
sync_at 16384
reassemble_par
settle

note "only a part"
half=16384
set_sync sync_min 0
set_sync sync_max "$half"
set_sync sync_action check
sync_at "$half"
sleep 0.5
assert_eq "$(completed)" "$half" "sync_completed, up to sync_max"
assert_eq "$(sync_file mismatch_cnt)" 8 "sectors found up to sync_max"
set_sync sync_max max
mismatches 16 "a check that went on"
set_sync sync_min "$half"
set_sync sync_action check
mismatches 8 "a check of the second half"

set_sync sync_min 0
set_sync sync_action repair
mismatches 16 "a repair"
end_dissected
