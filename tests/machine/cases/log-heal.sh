#!/bin/bash
# A member whose log is spoilt is not read, and has all of it again with the next write.
# subject: log
# machine: --debug --mem 1G
# timeout: 200
set -euo pipefail
. "$(dirname "$0")/../tools/par.sh"
. "$(dirname "$0")/../tools/log.sh"

# number DEVICE BYTE: of the superblock, eight bytes.
number() {
	od -An -t u8 -N 8 -j $(($(data_offset "$1") * 512 + $2)) "$1" | tr -d ' '
}

# spoil_log NUMBER: all of the log of this disk; the array is stopped.
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
	# This write has what was spoilt written again.
	write_some "2$d" 5
	same "with the log of member $d again"
done
# Of two copies one is always left; with both spoilt it is told that something is missing.
stop_par
spoil_log 0
spoil_log 1
mark_log
! assemble_par 2>/dev/null || fail "a log of which half is spoilt is taken for whole"
logged 'the log is damaged'
