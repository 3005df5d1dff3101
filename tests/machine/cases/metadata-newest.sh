#!/bin/bash
# When the newest metadata of a member, or of all members, is unreadable and older metadata is used, the kernel log says so.
# subject: crash
# machine: --debug --mem 1G
# timeout: 300
set -euo pipefail
. "$(dirname "$0")/../tools/par.sh"

spoil() { "$TOOLS/spoil.py" "$@"; }
seq_of() { spoil seq "${DEVS[$1]}"; }

# Failures are collected, so that each kind is reported.
WRONG=()
expect() {
	[[ $(log_since) =~ $1 ]] || { WRONG+=("$2"); note "not reported: $2, which would match '$1'"; }
}

# begin WHAT [DISKS...]: create an array and stop it properly, after writes that changed superblock, map and intents.
begin() {
	note "$1"
	shift
	"${@:-mkdisks}" 5 64M
	create_par 3,5 --chunk=64
	fill 12
	shift_to 3
	shift_to 5
	reassemble_par
	fill 4 16
	SUM=$(fingerprint 24)
	stop_par
}

# end: the first use stores the metadata again, and the next start reports nothing.
end() {
	if [ -e "/sys/block/$MD/md/par" ]; then
		fill 1 30
		reassemble_par
		mark_log
		reassemble_par
		[[ ! $(log_since) =~ (unreadable|destroyed|on no member|has version) ]] || WRONG+=("$1: told again")
		stop_par
	fi
	rmdisks
}

# A member that never sleeps has an older version than a proper stop leaves.
of_one() {
	local kind
	for kind in torn corrupt; do
		begin "the newer superblock of one member: $kind"
		spoil "$kind" --newest "${DEVS[1]}"
		mark_log
		assemble_par
		expect "member 1 \\(nullb1\\) [^;]*(version $(seq_of 1) of the metadata|unreadable)" \
			"member 1, whose newer superblock is $kind, has an older one"
		assert_eq "$(fingerprint 24)" "$SUM" "content"
		end "$kind, of one"
	done
}

# Only members that may sleep have the newest version. The array starts again after a start and a stop without use.
of_steady() {
	begin "the newer superblock of all members that never sleep: torn"
	spoil torn --newest "${DEVS[@]:0:3}"
	mark_log
	assemble_par || fail "refused, though members 3 and 4 have the newest superblock, and all others the one before"
	assert_eq "$(fingerprint 24)" "$SUM" "content"
	reassemble_par
	reassemble_par
	assert_eq "$(fingerprint 24)" "$SUM" "content after two starts"
	end "of those that never sleep"
}

# The content of the lost superblock is unknown: failed members, resynced sets, the gear.
superblock_of_all() {
	local kind
	for kind in torn corrupt; do
		begin "the newer superblock of all members: $kind"
		spoil "$kind" --newest "${DEVS[@]}"
		mark_log
		refused mdadm --assemble --quiet "/dev/$MD" "${DEVS[@]}"
		expect "cannot start: the newest superblock may have been destroyed on all members: they have version $(seq_of 0)" \
			"the newest superblock is $kind on all members, and they have version $(seq_of 0)"
		mdadm --assemble --quiet --force "/dev/$MD" "${DEVS[@]}"
		expect "started by force with version $(seq_of 0) of the metadata" "$kind, of all: forced"
		assert_eq "$(fingerprint 24)" "$SUM" "content"
		end "$kind, of all"
	done
}

# After a proper stop, an older version of a map block must not be used: rows written since would read as zeros, since
# no intent covers them. If the array starts, its content is right; whether it starts or not, the log has a report.
blocks_of_all() {
	begin "the newer version of blocks of all members: $1"
	spoil torn --blocks "$1" "${DEVS[@]}"
	mark_log
	if assemble_par 2>/dev/null; then
		[ "$(fingerprint 24)" = "$SUM" ] || WRONG+=("$1: old blocks are used, and what was written last is not there")
	fi
	expect 'newest version of [a-z]+ block [0-9]+ is valid on no member' "the newest blocks ($1) are torn on all members"
	end "$1"
}

# The same with blocks that the disks cannot read.
unreadable_of_all() {
	local sectors sector d
	begin "the newer version of blocks of all members: unreadable, $1" mkspindles
	for d in 0 1 2 3 4; do
		sectors=$(spoil sectors --blocks "$1" "${DEVS[$d]}")
		for sector in $sectors; do echo "read $sector 8" >"$SPINDLES/${DISKS[$d]}/errors"; done
	done
	mark_log
	refused mdadm --assemble --quiet "/dev/$MD" "${DEVS[@]}"
	expect 'newest version of [a-z]+ block [0-9]+ is valid on no member' \
		"the newest blocks ($1) cannot be read on any member"
	for d in 0 1 2 3 4; do echo clear >"$SPINDLES/${DISKS[$d]}/errors"; done
	assemble_par
	assert_eq "$(fingerprint 24)" "$SUM" "content, when the blocks can be read again"
	stop_par
	rmdisks
}

of_one
of_steady
superblock_of_all
blocks_of_all map
blocks_of_all intent
blocks_of_all all
unreadable_of_all map
unreadable_of_all intent
[ ${#WRONG[@]} = 0 ] || fail "$(printf '%s; ' "${WRONG[@]}")"
