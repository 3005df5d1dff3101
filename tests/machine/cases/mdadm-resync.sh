#!/bin/bash
# --update=resync of any mdadm makes all parity right, once; an array that cannot be resynced starts, and the log says so.
# needs: mdadm-4.4-unpatched? mdadm-4.2-unpatched?
# plain: yes
. "$(dirname "$0")/../tools/par.sh"
. "$(dirname "$0")/../tools/monitor.sh"

MIB=16	# the part of the array that is written

right() { assert_eq "$(fingerprint $MIB)" "$SUM" "content $1"; }

# spoil_parity: damage all parity of each set of the stopped array.
spoil_parity() {
	local members
	for members in $(gears "$LAYOUT"); do
		dissect --parity "$members" | "$TOOLS/noise.py" "${DEVS[@]}"
	done
	refused dissect
	assert_match "$REFUSAL" 'P \(member [0-9]*\) is wrong' "the disks taken apart"
}

check() {
	shift_to 5
	sync_now check
	MISMATCHES=$(<"/sys/block/$MD/md/mismatch_cnt")
}

# begin GEAR: write data, last in that gear.
begin() {
	on_disks 3,5 64M
	fill $MIB
	shift_to "$1"
	fill 4 4
	SUM=$(fingerprint $MIB)
	stop_par
}

# resynced GEAR MDADM [OPTION...]
resynced() {
	local gear=$1 mdadm=$2
	shift 2
	note "gear $gear: ${mdadm#"$RAIDPAR_TOP/"} --update=resync"
	begin "$gear"
	spoil_parity
	mark_log
	"$mdadm" --assemble --quiet "$@" --update=resync "/dev/$MD" "${DEVS[@]}"
	assert_match "$(log_since)" 'all parity is resynced, as requested by --update=resync' "kernel log"
	right "while it is resynced"
	mdadm --readwrite "/dev/$MD" 2>/dev/null || true
	shift_to 5
	wait_for "/sys/block/$MD/md/par/resync" none
	check
	assert_eq "$MISMATCHES" 0 "mismatches after the resync"
	stop_par
	dissect
	mark_log
	assemble_par
	[[ ! $(log_since) =~ 'is resynced' ]] || fail "resynced again"
	assert_eq "$(par resync)" none "zones to be resynced"
	right "after the resync"
	end_par
}

resynced 5 mdadm
resynced 3 mdadm
for version in 4.4 4.2; do
	mdadm=$RAIDPAR_TOP/build/mdadm-$version-unpatched/mdadm
	if [ -x "$mdadm" ]; then resynced 3 "$mdadm" --force --run; fi
done

note "a member is missing"
begin 3
mark_log
mdadm --assemble --quiet --run --update=resync "/dev/$MD" "${DEVS[@]:0:4}"
assert_match "$(log_since)" '--update=resync is ignored: a member is missing' "kernel log"
right "without a member"
mdadm --quiet "/dev/$MD" --re-add "${DEVS[4]}"
wait_for "/sys/block/$MD/md/degraded" 0
settle
stop_par

note "mismatches are reported with the name of the level, and the present consistency policy is accepted"
spoil_parity
assemble_par
mdadm --grow "/dev/$MD" --consistency-policy=resync
assert_eq "$(<"/sys/block/$MD/md/consistency_policy")" resync "consistency policy"
start_monitor "/dev/$MD"
echo 10000 >"/sys/block/$MD/md/sync_speed_max"
check
assert_ne "$MISMATCHES" 0 "mismatches of spoilt parity"
wait_event 'RebuildFinished +mismatches found: [0-9]+ \(on level par\)'
kill "$MONITOR"
right "at the end"
end_par
