#!/bin/bash
# Metadata lost on some members is reported and repaired; lost on too many, it stops the array from starting until a rescue.
# plain: yes
# timeout: 900
. "$(dirname "$0")/../tools/par.sh"

BLOCKS=128	# sector of the intent and map blocks in a member's data area
SUPERS=0	# and of its two superblocks

# destroy SECTOR COUNT MEMBER...: overwrite these sectors of the data area with noise.
destroy() {
	local at=$1 count=$2 d
	shift 2
	for d in "$@"; do
		dd if=/dev/urandom of="${DEVS[d]}" bs=512 count="$count" oflag=direct \
			seek=$((OFFSET + at)) conv=notrunc status=none
	done
}
destroy_supers() { destroy $SUPERS 16 "$@"; }
destroy_blocks() { destroy $BLOCKS 64 "$@"; }

superblocks_clean() {
	local dev
	for dev in "${DEVS[@]}"; do
		assert_match "$(mdadm --examine "$dev")" 'State : clean' "md's superblock of $dev"
	done
}

# A write to the array repairs the metadata: the next start reports nothing.
repaired() {
	wait_whole
	assert_eq "$(fingerprint)" "$SUM" "content with metadata of others"
	fill 1 60
	SUM=$(fingerprint)
	stop_par
	dissect >/dev/null
	mark_log
	assemble_par
	not_logged 'damaged or old|superblock|no member'
	assert_eq "$(fingerprint)" "$SUM" "content with repaired metadata"
	stop_par
}

refused_for_loss() {
	mark_log
	refused mdadm --assemble "/dev/$MD" "${DEVS[@]}"
	assert_match "$REFUSAL" 'needs cleaning' "mdadm's message"
	assert_match "$REFUSAL" '--assemble --force or --assemble --update=par-rescue starts the array with the rest' "mdadm's message"
	logged "$1"
	logged 'update=par-rescue: every row'
	refused mdadm --assemble --force "/dev/$MD" "${DEVS[@]}"
	assert_match "$REFUSAL" 'needs cleaning' "mdadm's message with --force"
	superblocks_clean
}

# rescued [MIB]: the data in the first MIB, all parity and the next start must be right.
rescued() {
	mdadm --assemble --quiet --update=par-rescue "/dev/$MD" "${DEVS[@]}"
	settle
	[ $# -gt 0 ] || assert_eq "$(fingerprint)" "$SUM" "content after the rescue"
	[ $# -eq 0 ] || assert_eq "$(fingerprint "$1")" "$PART_SUM" "first $1 MiB after the rescue"
	fill 1 60
	SUM=$(fingerprint)
	shift_to 5
	wait_for "/sys/block/$MD/md/par/resync" none 120
	no_mismatch
	stop_par
	dissect >/dev/null
	superblocks_clean
	mark_log
	assemble_par
	not_logged 'rescue|damaged or old|lost'
	assert_eq "$(fingerprint)" "$SUM" "content at the next start"
	shift_to 3
	assert_eq "$(fingerprint)" "$SUM" "content in the lower gear"
	stop_par
}

begin() {
	note "$1"
	on_disks 3,5 40M
	fill 40
	shift_to 3
	fill 10 20
	shift_to 5
	SUM=$(fingerprint)
	stop_par
	OFFSET=$(data_offset "${DEVS[0]}")	# the same on all
}

note "the option is for this level only"
assert_match "$(mdadm --assemble --update=help)" par-rescue "--update=help"
mkdisks 2 64M
mdadm --create /dev/md1 --quiet --run --level=1 --bitmap=none --assume-clean --raid-devices=2 "${DEVS[@]}" 2>/dev/null
mdadm --stop --quiet /dev/md1
refused mdadm --assemble --update=par-rescue /dev/md1 "${DEVS[@]}"
assert_match "$REFUSAL" 'par-rescue only supported for level par' "mdadm's message"
superblocks_clean
rmdisks

begin "superblocks of one member, and what else it holds: it is rebuilt"
for lost in 1 4; do
	destroy_supers $lost
	destroy 4096 8192 $lost
	mark_log
	assemble_par
	logged "member $lost \\(nullb$lost\\) holds no raid-par superblock"
	assert_eq "$(fingerprint)" "$SUM" "content at once"
	logged "member $lost \\(nullb$lost\\) has no valid raid-par superblock: its content is unknown"
	logged "member $lost \\(nullb$lost\\) has to be rebuilt"
	repaired
done
rmdisks

# More members are lost than parity can replace, and no metadata describes their content.
begin "superblocks of all members except one that never sleeps"
destroy_supers 0 1 3 4
mark_log
refused mdadm --assemble "/dev/$MD" "${DEVS[@]}"
logged 'cannot start: only 1 of 5 members are present and whole, 4 are needed'
logged '--force starts the array with the members without a valid superblock as they are'
superblocks_clean
mark_log
mdadm --assemble --quiet --force "/dev/$MD" "${DEVS[@]}"
logged 'member 4 \(nullb4\) is used by force: all of its content is in doubt'
logged 'in doubt: array sectors 0 to'
repaired
rmdisks

begin "superblocks of all but one, which then fails before anything is written"
destroy_supers 0 1 3 4
mdadm --assemble --quiet --force "/dev/$MD" "${DEVS[@]}"
mdadm --fail "/dev/$MD" "${DEVS[2]}" 2>/dev/null
fill 1 60
settle
assert_eq "$(cat "/sys/block/$MD/md/degraded")" 1 "members missing"
SUM=$(fingerprint)
stop_par
mdadm --assemble --quiet --run "/dev/$MD" "${DEVS[@]:0:2}" "${DEVS[@]:3}"
assert_eq "$(fingerprint)" "$SUM" "content without the member that had the newest superblock"
end_par

begin "blocks of all members"
destroy_blocks 0 1 2 3 4
refused_for_loss 'the newest version of (intent|map) block [0-9]+ is valid on no member'
rescued
rmdisks

begin "superblocks of all members"
destroy_supers 0 1 2 3 4
refused_for_loss 'cannot start: no member has valid raid-par metadata'
note "too few members: a rescue is not kept for later"
refused mdadm --assemble --run --update=par-rescue "/dev/$MD" "${DEVS[@]:0:3}"
superblocks_clean
rescued
rmdisks

begin "superblocks of those that never sleep, after the others slept"
assemble_par
PART_SUM=$(fingerprint 30)
shift_to 3
fill 4 34
stop_par
destroy_supers 0 1 2
refused_for_loss 'the members that never sleep have lost the metadata, and the other members have an older version'
rescued 30
rmdisks

begin "a member with the metadata of another array"
note "as another array of the same shape and name has them"
dd if="${DEVS[3]}" of="$MACHINE_TMP/ours" bs=1M count=8 iflag=direct status=none
KEEP=("${DISKS[@]}") KEEP_DEVS=("${DEVS[@]}")
DEVS=()
mkdisks 5 40M
MD=md1 create_par 3,5 --chunk=64 --name=0
MD=md1 fill 4
MD=md1 stop_par
offset=$(data_offset "${DEVS[3]}")
assert_eq "$offset" "$(data_offset "${KEEP_DEVS[3]}")" "data offset"
dd if="${DEVS[3]}" of="${KEEP_DEVS[3]}" bs=512 skip="$offset" seek="$offset" count=192 \
	oflag=direct conv=notrunc status=none
note "and its members are not taken for ours"
refused mdadm --assemble "/dev/$MD" "${KEEP_DEVS[@]:0:4}" "${DEVS[4]}"
OTHERS=("${DISKS[@]:5}") DEVS=("${KEEP_DEVS[@]}")
mark_log
assemble_par
logged 'member 3 \(nullb3\) belongs to another array'
repaired
assert_eq "${#OTHERS[@]}" 5 "disks of the other array"
DISKS=("${KEEP[@]}" "${OTHERS[@]}")
rmdisks
