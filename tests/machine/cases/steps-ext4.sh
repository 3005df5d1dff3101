#!/bin/bash
# Files on ext4 are right in every gear, down and up, and after a stop and assembly in each; sleepers get no request.
# subject: data
# timeout: 400
# RAIDPAR_WHOLE=1: more layouts.
. "$(dirname "$0")/../tools/par.sh"
. "$(dirname "$0")/../tools/tree.sh"

# Use files in every way in the present gear, without a request to the sleepers.
live() {
	local gear=$1
	watch_sleepers
	compare_tree "in gear $gear"
	change_tree "gear-$gear-$SECONDS"
	remount
	compare_tree "in gear $gear, remounted"
	assert_asleep "files in gear $gear of $LAYOUT"
}

# After a stop and an assembly the array is in the same gear, without a request to the sleepers.
restart() {
	local gear=$1
	umount "$MNT"
	check_fs
	reassemble_par
	assert_eq "$(par gear)" "$gear" "gear after assembly"
	mount "/dev/$MD" "$MNT"
	compare_tree "after assembly in gear $gear"
}

steps() {
	local gear
	rm -f "$MACHINE_TMP"/was-*
	make_fs ext4
	make_tree
	for gear in $(down_and_up "$LAYOUT"); do
		shift_to "$gear"
		live "$gear"
		[ -e "$MACHINE_TMP/was-$gear" ] || restart "$gear"
		touch "$MACHINE_TMP/was-$gear"
	done
	umount "$MNT"
	check_fs
}

[ -n "${RAIDPAR_WHOLE:-}" ] || LAYOUTS=('3,5' '3,5,8')
for layout in "${LAYOUTS[@]}"; do with_par "$layout" 64M steps; done
