#!/bin/bash
# A member that returns a few errors, or is slow, when it is woken is retried and not failed; one that keeps returning errors is failed, and the zones that it lacks are marked on the members that never sleep, and on no other.
# subject: power
# RAIDPAR_WHOLE=1: two errors, too, between one and as many as there may be.
. "$(dirname "$0")/../tools/par.sh"

MIB=6
ALL=$((32 << 11))	# sectors of a disk

set_of() { echo "$2" >"$SPINDLES/spin$1/errors"; }

# asleep: shift down, and write data and metadata that the sleepers do not have.
asleep() {
	shift_to 3
	fill 2 "$1"
	SUM=$(fingerprint $MIB)
}

# up WHAT MEMBERS: the array is in the top gear with MEMBERS members, and the data is right.
up() {
	assert_eq "$(par gear)" 5 "$1: gear"
	assert_eq "$(par shift_last_error)" 0 "$1: error of the shift"
	assert_match "$(</proc/mdstat)" "\\[5/$2\\]" "$1: mdstat"
	assert_eq "$(fingerprint $MIB)" "$SUM" "$1: content"
}

# errs KIND TIMES MEMBER...
errs() {
	local kind=$1 times=$2 d
	shift 2
	note "$kind returns an error $times times, members $*"
	asleep $((times + 1))
	for d in "$@"; do set_of "$d" "$kind 0 $ALL $times"; done
	shift_to 5
	up "$kind errs $times times" 5
	for d in "$@"; do assert_eq "$(<"$SPINDLES/spin$d/errors")" "" "$kind: errors left of spin$d"; done
}

# slow MEMBER...: each request to these members takes up to two seconds until they have woken.
slow() {
	note "slow: members $*"
	asleep 2
	slow_disks 2000000 "$@"
	echo 5 >"/sys/block/$MD/md/par/gear"
	wait_for "/sys/block/$MD/md/par/gear" 5 120
	slow_disks 0
	settle
	up "slow" 5
}

# blocks MEMBER: print the number of the newest version of each intent and map block on its disk.
blocks() { "$TOOLS/spoil.py" blocks "${DEVS[$1]}"; }

# errs_for_good KIND MEMBER: a member that keeps returning errors fails, and returns as a new disk.
errs_for_good() {
	note "$1 always returns an error, member $2"
	asleep 1
	set_of "$2" "$1 0 $ALL"
	shift_to 5
	up "$1 errs for good" 4
	assert_ne "$(blocks 0)" "" "blocks of member 0"
	assert_eq "$(blocks 1)" "$(blocks 0)" "versions of the blocks of two members that never sleep"
	assert_eq "$(blocks 3)" "" "blocks of the woken member"
	fill 2 3
	SUM=$(fingerprint $MIB)
	set_of "$2" clear
	up "goes on" 4
	detached "$2"
	manage --remove "${DEVS[$2]}"
	stop_par
	start_without "$2"
	up "without it" 4
	put_in "$2"
	up "added again" 5
}

on_spindles 3,5 32M
fill $MIB
for times in 1 ${RAIDPAR_WHOLE:+2} 3; do
	for kind in read write any; do
		errs "$kind" "$times" 3
		errs "$kind" "$times" 3 4
	done
done
give_up_soon
slow 4
slow 3 4
for kind in any write; do errs_for_good "$kind" 4; done
end_dissected
