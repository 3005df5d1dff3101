#!/bin/bash
# An array whose UUID has been changed by any mdadm, in any gear, starts with all its data.
# needs: mdadm-4.4-unpatched? mdadm-4.2-unpatched?
# plain: yes
. "$(dirname "$0")/../tools/par.sh"

MIB=24	# the part of the array that is written
CHANGED='the UUID has changed'

# told, not_told: the kernel log has, or has not, reported the change since the mark.
told() { assert_match "$(log_since)" "$CHANGED" "kernel log"; }
not_told() { [[ ! $(log_since) =~ $CHANGED ]] || fail "reported again: $(log_since)"; }

# begin GEAR: create an array with data last written in that gear.
begin() {
	on_disks 3,5 64M
	fill 16
	shift_to "$1"
	fill 6 8
	SUM=$(fingerprint $MIB)
	stop_par
}

right() { assert_eq "$(fingerprint $MIB)" "$SUM" "content $1"; }

# change MDADM [UUID]: change the UUID by an assembly with that mdadm.
change() {
	local before option=()
	[[ $1 != *unpatched* ]] || option=(--force --run)	# it regards all members as missing
	before=$(uuid_of "${DEVS[0]}")
	mark_log
	"$1" --assemble "${option[@]}" --quiet --update=uuid ${2:+"--uuid=$2"} "/dev/$MD" "${DEVS[@]}" ||
		fail "$1 does not start it: $(log_since)"
	# Some sleepers may still have the first UUID only.
	[ "${2:-}" = "$FIRST" ] || told
	assert_ne "$(uuid_of "${DEVS[0]}")" "$before" "UUID"
	right "with a new UUID"
}

# kept GEAR: after a write in that gear, the change is not reported any more.
kept() {
	reassemble_par
	right "at the next start"
	fill 1 20
	SUM=$(fingerprint $MIB)
	mark_log
	reassemble_par
	not_told
	assert_eq "$(par gear)" "$1" "gear"
	right "once it has been written"
	stop_par
}

MDADMS=("$(command -v mdadm)")
for version in 4.4 4.2; do
	mdadm=$RAIDPAR_TOP/build/mdadm-$version-unpatched/mdadm
	if [ -x "$mdadm" ]; then MDADMS+=("$mdadm"); else note "no mdadm $version without the patches"; fi
done

# each_way GEAR MDADM...: change to a given UUID, to a random one, and back.
each_way() {
	local gear=$1 mdadm
	begin "$gear"
	FIRST=$(uuid_of "${DEVS[0]}")
	for mdadm in "${@:2}"; do
		note "gear $gear, ${mdadm#"$RAIDPAR_TOP/"}"
		change "$mdadm" 01234567:89abcdef:01234567:89abcdef
		kept "$gear"
		change "$mdadm"
		stop_par
		change "$mdadm" "$FIRST"
		stop_par
	done
	assemble_par
	shift_to 5
	right "in the top gear"
	end_dissected
}

each_way 5 "${MDADMS[0]}"
each_way 3 "${MDADMS[@]}"

note "a member was not there when it was changed"
begin 3
mdadm --assemble --run --quiet --update=uuid "/dev/$MD" "${DEVS[@]:0:4}"
right "without a member"
fill 2 20
SUM=$(fingerprint $MIB)
stop_par
refused mdadm --assemble "/dev/$MD" "${DEVS[@]}"
mdadm --assemble --quiet --run "/dev/$MD" "${DEVS[@]:0:4}"
put_in 4
right "with all members again"
end_dissected

note "members of two arrays"
begin 5
stranger=${DEVS[4]}
mkdisks 4 64M
DEVS=("${DEVS[@]:5}" "$stranger")
dd if="$stranger" of="$MACHINE_TMP/kept" bs=1M count=8 iflag=direct status=none
mdadm --zero-superblock "$stranger"
dd if=/dev/zero of="$stranger" bs=1M count=8 oflag=direct conv=notrunc status=none
nap 1.1	# if a member has superblocks of two arrays, the array created in a later second counts
create_par 3,5 --chunk=64
fill 4
SUM=$(fingerprint $MIB)
stop_par
offset=$(mdadm --examine "$stranger" | sed -n 's/^ *Data Offset : \([0-9]*\) sectors/\1/p')
dd if="$MACHINE_TMP/kept" of="$stranger" bs=512 skip="$offset" seek="$offset" count=64 oflag=direct conv=notrunc status=none
mark_log
mdadm --assemble --quiet --update=uuid "/dev/$MD" "${DEVS[@]}"
assert_match "$(log_since)" 'member 4 .* belongs to another array' "kernel log"
right "with the metadata of another array on a member"
end_par
