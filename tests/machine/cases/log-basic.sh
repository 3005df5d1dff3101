#!/bin/bash
# Writes in a low gear are in the log, are read there, survive a cut, and are home after a shift up.
# subject: log
# machine: --debug --mem 1G
# timeout: 200
set -euo pipefail
. "$(dirname "$0")/../tools/par.sh"

UUID=01234567:89abcdef:02468ace:13579bdf

# create_logged LAYOUT MIB [OPTION...]: an array on all disks, with a log of so much on each member.
create_logged() {
	local layout=$1 mib=$2
	shift 2
	"$TOOLS/birth.py" "$UUID" 2048 "$((mib * 2048))" "${DEVS[@]}"
	create_par "$layout" --uuid="$UUID" --data-offset=1M "$@"
}

# write_some SEED: some hundred writes of 512 bytes to 32 KiB, to the array and to a file beside it.
write_some() {
	"$TOOLS/log_writes.py" "/dev/$MD" "$MACHINE_TMP/twin" "$1" 300
}

same() {
	dd if="/dev/$MD" of="$MACHINE_TMP/read" bs=1M count=8 iflag=direct status=none
	cmp "$MACHINE_TMP/read" "$MACHINE_TMP/twin" || fail "$LAYOUT: $1"
}

work() {
	local live
	fill 8
	dd if="/dev/$MD" of="$MACHINE_TMP/twin" bs=1M count=8 iflag=direct status=none
	[ "$(par log_size)" -gt 0 ] || fail "$LAYOUT: no log"
	assert_eq "$(par logged)" 0 "logged in the top gear"
	shift_to "$(low_gear "$LAYOUT")"
	watch_sleepers
	write_some 1
	[ "$(par logged)" -gt 0 ] || fail "$LAYOUT: nothing is logged"
	note "live $(par log_live), used $(par log_used) of $(par log_size), memory $(par log_memory)"
	same "in the low gear"
	assert_asleep "writes into the log"
	reassemble_par
	[ "$(par log_replayed)" -gt 0 ] || fail "$LAYOUT: nothing is replayed"
	same "after a stop"
	write_some 2
	sync -d "/dev/$MD"
	power_cut 7
	assemble_par
	same "after a cut"
	write_some 3
	same "after more writes"
	live=$(par log_live)
	[ "$live" -gt 0 ] || fail "$LAYOUT: nothing is live"
	shift_to "$(top_gear "$LAYOUT")"
	wait_for "/sys/block/$MD/md/par/log_used" 0
	same "in the top gear"
	no_mismatch
	reassemble_par
	assert_eq "$(par log_replayed)" 0 "records that were drained"
	same "at last"
}

for layout in "${@:-3,5}"; do
	note "$layout"
	mkspindles "$(top_gear "$layout")" 96M seed=3
	create_logged "$layout" 16 --chunk=64
	work
	stop_par
	rmdisks
done
