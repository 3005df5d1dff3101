#!/bin/bash
# When the newest metadata of a member, or of all members, is unreadable and older metadata is used, the kernel log says so.
# subject: crash
# plain: yes
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

# unreadable DISK SECTOR...: the disk returns errors for the blocks at these sectors.
unreadable() {
	local disk=$1 sector
	shift
	for sector in "$@"; do echo "read $sector 8" >"$SPINDLES/$disk/errors"; done
}

# The same with blocks that the disks cannot read. A forced start uses the version that is found. It is the older one
# here, so rows that it does not know must have their data all the same.
unreadable_of_all() {
	local d
	begin "the newer version of blocks of all members: unreadable, $1" mkspindles
	for d in 0 1 2 3 4; do
		# shellcheck disable=SC2046  # words
		unreadable "${DISKS[$d]}" $(spoil sectors --blocks "$1" "${DEVS[$d]}")
	done
	mark_log
	refused mdadm --assemble --quiet "/dev/$MD" "${DEVS[@]}"
	expect "version [0-9]+ of $1 block [0-9]+ may not be the newest.*--force starts the array with this version" \
		"the newest blocks ($1) cannot be read on any member"
	[[ ! $(log_since) =~ are\ missing ]] || WRONG+=("$1: members are called missing")
	mdadm --assemble --quiet --force "/dev/$MD" "${DEVS[@]}"
	expect "version [0-9]+ of $1 block [0-9]+ is used by force" "an older block ($1) is used"
	[ "$(fingerprint 24)" = "$SUM" ] || WRONG+=("$1: what was written last is not there after a forced start")
	stop_par
	for d in 0 1 2 3 4; do echo clear >"$SPINDLES/${DISKS[$d]}/errors"; done
	assemble_par
	assert_eq "$(fingerprint 24)" "$SUM" "content, when the blocks can be read again"
	end_par
}

# hidden KIND OPTION: the array was stopped in its low gear and lacks one of two members that never sleep; the other one
# has the newest version of each block, and a bad sector where the next one will be. What was written in the low gear is
# only in the images that the newest version knows.
hidden() {
	local members=(0 2 3) devs d
	note "the place of the next version of each block ($1) is unreadable: $2"
	on_spindles 2,4 64M
	fill 12
	shift_to 2
	fill 4 4
	fill 4 12
	SUM=$(fingerprint 20)
	stop_par
	# shellcheck disable=SC2046  # words
	unreadable "${DISKS[0]}" $(spoil sectors --other --blocks "$1" "${DEVS[0]}")
	for d in "${members[@]}"; do devs+=("${DEVS[d]}"); done
	mark_log
	refused mdadm --assemble --run --quiet "/dev/$MD" "${devs[@]}"
	expect "version [0-9]+ of $1 block [0-9]+ may not be the newest.*--force starts the array with this version" \
		"the next blocks ($1) cannot be read"
	expect "members 1 are missing, and may have what the others lack: connect them" "the missing member may have it ($1)"
	# With the member that is missing, nothing has to be forced.
	mdadm --assemble --quiet --readonly "/dev/$MD" "${DEVS[@]}" || WRONG+=("$1: refused, though all members are present")
	stop_par
	mdadm --assemble --run --quiet "$2" "/dev/$MD" "${devs[@]}"
	[ "$(fingerprint 20)" = "$SUM" ] || WRONG+=("$1, $2: the version that was found is not used")
	fill 1 20
	settle
	[ "$(fingerprint 20)" = "$SUM" ] || WRONG+=("$1, $2: old content after the first use")
	stop_par
	echo clear >"$SPINDLES/${DISKS[0]}/errors"
	mdadm --assemble --run --quiet "/dev/$MD" "${devs[@]}"
	[ "$(fingerprint 20)" = "$SUM" ] || WRONG+=("$1, $2: old content at the next start")
	end_par
}

of_one
of_steady
superblock_of_all
blocks_of_all map
blocks_of_all intent
blocks_of_all all
unreadable_of_all map
unreadable_of_all intent
hidden map --force
hidden map --update=par-rescue
hidden intent --force
hidden intent --update=par-rescue
[ ${#WRONG[@]} = 0 ] || fail "$(printf '%s; ' "${WRONG[@]}")"
