#!/bin/bash
# The kernel log names each member with torn, old, corrupt, foreign or missing metadata, and describes the fault; a good copy replaces the metadata.
# plain: yes
# subject: crash
. "$(dirname "$0")/../tools/par.sh"

MIB=24	# the part of the array that is written

NONE='holds no raid-par superblock'
TORN='has a raid-par superblock with a wrong checksum'
VERSION='has a raid-par superblock of another version'
GEOMETRY='has a raid-par superblock for another layout, chunk or size'
FOREIGN='belongs to another array'
RANGE='has a raid-par superblock with impossible values'
NEWER='cannot start: another version of raid-par has written metadata on member'

spoil() { "$TOOLS/spoil.py" "$1" "${@:2}"; }
seq_of() { spoil seq "${DEVS[$1]}"; }

# told LINE...: these are all messages about members since the mark, except those about rebuilds.
told() {
	assert_eq "$(log_since | sed -n "/will be rebuilt/d; s|.*md/par:$MD: \\(member [0-9]* .*\\)|\\1|p")" \
		"$(printf '%s\n' "$@")" "messages about members in the kernel log"
}

# of MEMBER WHAT: print such a message; sound MEMBER: the message for a member that is right or has slept.
of() { echo "member $1 (${DISKS[$1]})${2:+ $2}"; }
sound() { of "$1" "has version $(seq_of "$1") of the metadata"; }

# unvouched MEMBER: the further messages about such a member; stands_in MEMBER: the message if it is used by force.
unvouched() { of "$1" "has no valid raid-par superblock: its content is unknown"; }
stands_in() { of "$1" "is used by force: all of its content is in doubt"; }

# begin LAYOUT WHAT [MEMBER...]: create an array with data in home copies and in images, and save earlier superblocks
# of these members.
begin() {
	local d
	note "$1: $2"
	on_disks "$1" 32M
	fill 12
	stop_par
	keep_supers "${@:3}"
	assemble_par
	shift_to "$(low_gear "$1")"
	fill 6 6
	shift_to "$(top_gear "$1")"
	SUM=$(fingerprint $MIB)
	stop_par
}

# repaired: after a write to the array, every member has the newest metadata only.
repaired() {
	assert_eq "$(fingerprint $MIB)" "$SUM" "content with metadata of others"
	fill 1 20
	SUM=$(fingerprint $MIB)
	stop_par
	assert_match "$(spoil seq "${DEVS[@]}" | uniq)" '^[0-9]+$' "versions of the members"
	dissect
	mark_log
	assemble_par
	assert_eq "$(log_since | grep -E 'md/par.*(member|metadata|damaged)' || true)" "" "messages after the repair"
	assert_eq "$(fingerprint $MIB)" "$SUM" "content with repaired metadata"
	stop_par
}

# refused_newer MEMBER DEVICE...: the start is refused, and a rescue, which would recreate the metadata, is neither
# proposed nor done.
refused_newer() {
	local member=$1 option
	shift
	for option in '' --update=par-rescue; do
		mark_log
		refused mdadm --assemble --run ${option:+"$option"} "/dev/$MD" "$@"
		assert_match "$REFUSAL" 'Package not installed' "mdadm's message"
		assert_match "$(log_since)" "$NEWER $member \\(${DISKS[$member]}\\)" "kernel log"
		[[ ! $(log_since) =~ par-rescue ]] || fail "a rescue is proposed though no metadata is lost"
	done
}

# All members but one are wrong, each in another way. With --force, unvouched members are used, an old copy is not.
each_its_own() {
	local want d
	begin raid6:4,8 "each in a way of its own, and one good copy" 2
	spoil torn "${DEVS[1]}"
	put_supers 2
	spoil foreign "${DEVS[3]}"
	spoil corrupt "${DEVS[4]}"
	spoil version "${DEVS[5]}"
	spoil geometry "${DEVS[6]}"
	want=("$(sound 0)" "$(of 1 "$TORN")" "$(sound 2)" "$(of 3 "$FOREIGN")" "$(of 4 "$NONE")"
		"$(of 5 "$VERSION")" "$(of 6 "$GEOMETRY")" "member 7 is missing"
		"$(for d in 1 3 4 5 6; do unvouched $d; done)"
		"$(of 2 "is an old copy of the member: it has version $(seq_of 2) of the metadata, $(($(seq_of 0) - 1)) or newer is expected")"
		"$(for d in 1 3 4 5 6; do stands_in $d; done)"
		"$(of 2 "has to be rebuilt")")
	assert_ne "$(seq_of 0)" "$(seq_of 2)" "version of the member that is stale"
	refused_newer 5 "${DEVS[@]:0:7}"
	mark_log
	mdadm --assemble --quiet --run --force "/dev/$MD" "${DEVS[@]:0:7}"
	told "${want[@]}"
	assert_eq "$(fingerprint $MIB)" "$SUM" "content without a member"
	mdadm --quiet "/dev/$MD" --add "${DEVS[7]}"
	wait_whole
	repaired
	rmdisks
}

# One member is wrong in each way, in turn one that never sleeps and a sleeper. All others are right.
one_of_them() {
	local kind i want seqs force d=1
	local -A line=([torn]=$TORN [corrupt]=$NONE [version]=$VERSION
		[foreign]=$FOREIGN [geometry]=$GEOMETRY [range]=$RANGE)
	begin 3,5 "one member"
	for kind in torn corrupt version foreign geometry range; do
		want=()
		mapfile -t seqs < <(spoil seq "${DEVS[@]}")
		for i in 0 1 2 3 4; do want+=("$(of "$i" "has version ${seqs[i]} of the metadata")"); done
		want[d]=$(of "$d" "${line[$kind]}")
		want+=("$(unvouched $d)" "$(of $d "has to be rebuilt")")
		spoil "$kind" "${DEVS[d]}"
		force=
		[ $kind != version ] || { refused_newer "$d" "${DEVS[@]}"; force=--force; }
		mark_log
		mdadm --assemble --quiet $force "/dev/$MD" "${DEVS[@]}"
		told "${want[@]}"
		wait_whole
		repaired
		d=$((5 - d))
	done
	rmdisks
}

# Map and intents of two members are wrong. Those that may sleep have none.
blocks_of_two() {
	begin 3,5 "map and intent blocks of two members"
	assert_eq "$(spoil blocks "${DEVS[@]:3}" | xargs)" "" "blocks of members that may sleep"
	spoil torn --blocks all "${DEVS[@]:1:2}"
	mark_log
	assemble_par
	assert_eq "$(log_since | sed -n "s|.*md/par:$MD: \\(member .*\\): [1-9][0-9]* metadata blocks are damaged or old; they will be rewritten from another member|\\1|p")" \
		"$(of 1)"$'\n'"$(of 2)" "members whose blocks are damaged"
	repaired
	rmdisks
}

# refused_telling MESSAGE LINE...: the start is refused with MESSAGE, and LINEs report the state of the members.
refused_telling() {
	local message=$1
	shift
	mark_log
	refused mdadm --assemble "/dev/$MD" "${DEVS[@]}"
	assert_match "$REFUSAL" 'needs cleaning' "mdadm's message"
	told "$@"
	assert_match "$(log_since)" "$message" "kernel log"
}

too_many() {
	begin 3,5 "all members, each in a way of its own"
	spoil torn "${DEVS[0]}"
	spoil corrupt "${DEVS[1]}"
	spoil foreign "${DEVS[2]}"
	spoil range "${DEVS[3]}"
	spoil geometry "${DEVS[4]}"
	refused_telling 'cannot start: no member has valid raid-par metadata' "$(of 0 "$TORN")" "$(of 1 "$NONE")" \
		"$(of 2 "$FOREIGN")" "$(of 3 "$RANGE")" "$(of 4 "$GEOMETRY")"
	rmdisks

	begin 3,5 "a newer raid-par has written the one or other superblock of all that never sleep"
	spoil version --newest "${DEVS[@]:0:3}"
	refused_newer 0 "${DEVS[@]}"
	rmdisks

	begin 3,5 "those that never sleep, when what the others have is old" 4
	assemble_par
	shift_to 3
	fill 1
	stop_par
	spoil torn "${DEVS[0]}"
	spoil corrupt "${DEVS[1]}"
	spoil foreign "${DEVS[2]}"
	put_supers 4
	assert_ne "$(seq_of 3)" "$(seq_of 4)" "version of the member with the older superblock"
	refused_telling 'the members that never sleep have lost the metadata, and the other members have an older version' \
		"$(of 0 "$TORN")" "$(of 1 "$NONE")" "$(of 2 "$FOREIGN")" "$(sound 3)" "$(sound 4)"
	rmdisks
}

each_its_own
one_of_them
blocks_of_two
too_many
