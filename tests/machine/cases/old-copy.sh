#!/bin/bash
# An old copy of a member in the member's place is reported and rebuilt, and none of its content is served.
# subject: member
. "$(dirname "$0")/../tools/par.sh"

COPY=$MACHINE_TMP/copy

copy_of() { dd if="${DEVS[$1]}" of="$COPY" bs=1M iflag=direct status=none; }
put_back() { dd if="$COPY" of="${DEVS[$1]}" bs=1M oflag=direct conv=fsync status=none; }

told_old() {
	assert_match "$(log_since)" "member $1 \\(${DISKS[$1]}\\) is an old copy of the member: it has version [0-9]+ of the metadata, [0-9]+ or newer is expected" "$2: kernel log"
}

whole_and_right() {
	wait_whole
	settle
	assert_eq "$(fingerprint 8)" "$SUM" "$1: content"
	stop_par
	dissect
	mark_log
	assemble_par
	assert_eq "$(<"/sys/block/$MD/md/degraded")" 0 "$1: members missing afterwards"
	assert_eq "$(log_since | grep -c 'or newer is expected')" 0 "$1: reported again"
}

# A copy is made of the stopped array's member, and put back after the array has been used.
stopped() {
	local d=$1 gear
	for gear in "$(low_gear "$LAYOUT")" "$(top_gear "$LAYOUT")"; do
		note "$LAYOUT: member $d, used in gear $gear meanwhile"
		shift_to "$gear"
		stop_par
		copy_of "$d"
		assemble_par
		fill 3 1
		shift_to "$(top_gear "$LAYOUT")"
		SUM=$(fingerprint 8)
		stop_par
		put_back "$d"
		mark_log
		assemble_par
		told_old "$d" "member $d"
		assert_eq "$(fingerprint 8)" "$SUM" "member $d: content at once"
		whole_and_right "member $d"
	done
}

# A copy is made while the array runs, and put back after a proper stop.
running() {
	local d=$1
	note "$LAYOUT: member $d, as it was when the array was running"
	fill 1
	sync
	copy_of "$d"
	fill 3 1
	SUM=$(fingerprint 8)
	stop_par
	put_back "$d"
	mark_log
	assemble_par
	told_old "$d" "running, member $d"
	whole_and_right "running, member $d"
}

# The member fails, and an old copy takes its place: --re-add must not rebuild the marked zones only.
readded() {
	local d=$1
	note "$LAYOUT: member $d, added again"
	stop_par
	copy_of "$d"
	assemble_par
	fill 3 2
	shift_to "$(top_gear "$LAYOUT")"
	take_out "$d"
	fill 1 5
	SUM=$(fingerprint 8)
	put_back "$d"
	mark_log
	mdadm --quiet "/dev/$MD" --re-add "${DEVS[d]}" || mdadm --quiet "/dev/$MD" --add "${DEVS[d]}"
	assert_match "$(log_since)" "member $d \\(${DISKS[d]}\\) is new and will be rebuilt" "kernel log"
	whole_and_right "member $d, added again"
}

# A sleeper that has woken up repeatedly loses its newest superblock: with the one before it,
# it is not an old copy.
torn_sleeper() {
	local i
	note "$LAYOUT: a sleeper whose newest superblock is torn"
	reassemble_par	# all members have two superblocks
	for i in 1 2 3; do
		shift_to "$(low_gear "$LAYOUT")"
		fill 1 "$i"
		shift_to "$(top_gear "$LAYOUT")"
	done
	shift_to "$(low_gear "$LAYOUT")"
	SUM=$(fingerprint 8)
	stop_par
	"$TOOLS/spoil.py" torn --newest "${DEVS[4]}"
	mark_log
	assemble_par
	assert_eq "$(log_since | grep -c 'or newer is expected')" 0 "reports of an old copy"
	assert_eq "$(<"/sys/block/$MD/md/degraded")" 0 "members missing"
	shift_to "$(top_gear "$LAYOUT")"
	whole_and_right "torn sleeper"
}

# If another member is missing, too many are. With --force the old copy is used, and all data is in doubt.
one_too_many() {
	local d=$1 missing=$2 all
	note "$LAYOUT: member $d is an old copy, member $missing is missing"
	stop_par
	copy_of "$d"
	assemble_par
	fill 2 3
	shift_to "$(top_gear "$LAYOUT")"
	stop_par
	put_back "$d"
	all=("${DEVS[@]}")
	[ "$missing" = none ] || unset "all[$missing]"
	mark_log
	refused mdadm --assemble --run "/dev/$MD" "${all[@]}"
	told_old "$d" "refused"
	mark_log
	mdadm --assemble --quiet --run --force "/dev/$MD" "${all[@]}"
	assert_match "$(log_since)" "member $d \\(${DISKS[d]}\\) is used by force" "forced: kernel log"
	assert_match "$(log_since)" "in doubt: array sectors 0 to $(($(array_bytes) / 512 - 1))" "forced: all is in doubt"
	fill 2 3
	stop_par
	mark_log
	mdadm --assemble --quiet --run "/dev/$MD" "${all[@]}"
	assert_eq "$(log_since | grep -c 'in doubt')" 0 "once is enough"
}

on_spindles 3,5 32M
fill 8
stopped 0
stopped 4
running 2
torn_sleeper
readded 1
one_too_many 2 3
end_par

on_spindles raid0:2,5 32M
fill 8
one_too_many 3 none
end_par
