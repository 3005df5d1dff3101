#!/bin/bash
# A member whose log is spoilt is not read, and has all of it again with the next write.
# subject: log
# machine: --debug --mem 1G
# timeout: 200
set -euo pipefail
. "$(dirname "$0")/../tools/par.sh"
. "$(dirname "$0")/../tools/log.sh"

# number DEVICE BYTE: print the number of eight bytes at this place in the superblock.
number() {
	od -An -t u8 -N 8 -j $(($(data_offset "$1") * 512 + $2)) "$1" | tr -d ' '
}

# spoil_log NUMBER: overwrite all of the log on this disk of the stopped array.
spoil_log() {
	local dev=${DEVS[$1]} meta log
	meta=$(number "$dev" 112)
	log=$(number "$dev" 160)
	[ "$log" -gt 0 ] || fail "$dev: no log in the superblock"
	dd if=/dev/zero of="$dev" bs=512 seek=$(($(data_offset "$dev") + meta - log)) count="$log" \
		conv=notrunc status=none
}

mkdisks 5 64M
create_logged 3,5 8 --chunk=64
fill_twin
shift_to 3
write_some 1 300
for d in 0 1 2; do
	stop_par
	spoil_log "$d"
	assemble_par
	[ "$(par log_replayed)" -gt 0 ] || fail "nothing is replayed"
	same "without the log of member $d"
	# The next write restores the overwritten log.
	write_some "2$d" 5
	same "with the log of member $d again"
done
# One of two copies was intact so far. With both overwritten, the start is refused, and the kernel log gives the reason.
stop_par
spoil_log 0
spoil_log 1
mark_log
! assemble_par 2>/dev/null || fail "a log of which half is spoilt is taken for whole"
logged 'the log is damaged'
