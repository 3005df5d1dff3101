#!/bin/bash
# mdadm uses the additional space of members that never sleep, and says so; it asks about a device, or refuses it, only if its size does not fit.
# subject: slots
# machine: --mem 2G
# needs: mdadm-4.4? mdadm-4.6?
# timeout: 600
# RAIDPAR_WHOLE=1: with both versions of mdadm, whose patches differ in context lines only, and in other layouts.
. "$(dirname "$0")/../tools/par.sh"

IMAGES=	# as users get them
SPARE='is too small to replace a device that never sleeps: it is a spare for the others'

# fresh SIZE...: new disks.
fresh() {
	local size
	[ "${#DEVS[@]}" = 0 ] || rmdisks
	for size; do mkdisks 1 "$size"; done
}

# created LAYOUT [OPTION...]: create an array as a user does, without --run and with nobody to answer a question. SAID:
# mdadm's messages.
created() {
	LAYOUT=$1
	shift
	SAID=$(mdadm --create "/dev/$MD" --level=par --layout="$LAYOUT" --raid-devices="$(top_gear "$LAYOUT")" "$@" \
		"${DEVS[@]}" 2>&1 </dev/null)
}

# asked LINE LAYOUT [OPTION...]: mdadm says LINE and asks, so that nothing is created.
asked() {
	local line=$1
	shift
	if created "$@"; then fail "created without a question, in place of: $line"; fi
	assert_match "$SAID" "$line.*create aborted" "mdadm's question"
}

# the_same: mdadm neither mentions nor uses larger members.
the_same() {
	[[ $SAID != *larger* ]] || fail "larger members of an array that does not use them: $SAID"
	[[ $(mdadm --examine "${DEVS[0]}"; mdadm --examine --export "${DEVS[0]}") != *[Ss][Tt][Ee][Aa][Dd][Yy]* ]] ||
		fail "--examine shows members of different sizes"
}

# steady_kib: K used of each member that never sleeps, as mdadm says.
steady_kib() { sed -n 's/.*which never sleep, are larger: \([0-9]*\)K of each is used, .*/\1/p' <<<"$SAID"; }

# has KIB: mdadm, the kernel and the members agree about the sizes. 130 MiB at most are in front of the data.
has() {
	local dev shown
	for dev in "${DEVS[0]}" "${DEVS[4]}"; do
		shown=$(mdadm --examine "$dev"; mdadm --examine --export "$dev")
		assert_match "$shown" " Steady Size : $(($1 * 2)) sectors .* used on each device that never sleeps" "--examine $dev"
		assert_match "$shown" "MD_PAR_STEADY_SIZE=${1}K"$'\n' "--examine --export $dev"
		assert_match "$shown" " Array Size : $(($(array_bytes) >> 10)) KiB" "size in --examine $dev"
	done
	assert_eq "$(par image_share)" 10 "share in sysfs"
}

# lives: an array with larger members, from creation to a rescue.
lives() {
	local kib slots bytes last change before
	fresh 100G 100G 100G 100G 100G
	created 3,5
	the_same
	slots=$(par slots) bytes=$(array_bytes)
	stop_par

	note "larger members"
	fresh 120G 120G 120G 100G 100G
	created 3,5
	kib=$(steady_kib)
	assert_le $(((120 << 20) - (140 << 10))) "$kib" "K used of a member of 120 GiB"
	assert_match "$SAID" "are larger: ${kib}K of each is used, [0-9]*K of each other, for images of 20% in place of 10%" "mdadm"
	has "$kib"
	assert_le $((slots * 2)) "$(par slots)" "slots, at least"
	assert_le $((bytes + bytes / 11)) "$(array_bytes)" "bytes of the array, at least"
	last=$(($(array_mib) - 8))
	put_file first 0
	put_file last $last
	for change in --size=max --size=50G --raid-devices=6; do
		refused mdadm --grow "/dev/$MD" $change
		assert_match "$REFUSAL" 'level par does not support a change of its size' "--grow $change"
	done
	reassemble_par
	has "$kib"
	same_file last $last "after a stop"
	same_file first 0 "after a stop"
	shift_to 3
	watch_sleepers
	same_file first 0 "in the low gear"
	same_file last $last "in the low gear"
	assert_asleep "of data in use"
	shift_to 5

	note "new members"
	mkdisks 1 100G
	mkdisks 1 120G
	before=$(head -c 1M "${DEVS[5]}" | sha256sum)
	take_out 0
	refused mdadm "/dev/$MD" --add "${DEVS[5]}"
	assert_eq "$REFUSAL" "mdadm: ${DEVS[5]} not large enough to join array: device 0, which it would replace, never sleeps, and has ${kib}K" \
		"mdadm's refusal"
	assert_eq "$(head -c 1M "${DEVS[5]}" | sha256sum)" "$before" "the refused disk"
	put_in 6
	same_file last $last "after the rebuild of a member that never sleeps"
	take_out 4
	put_in 5
	same_file first 0 "after the rebuild of a sleeper"
	assert_eq "$(mdadm "/dev/$MD" --add "${DEVS[4]}" 2>&1 | sort)" "mdadm: ${DEVS[4]} $SPARE"$'\n'"mdadm: added ${DEVS[4]}" \
		"a spare"
	stop_par
	mdadm --zero-superblock "${DEVS[0]}" "${DEVS[4]}"

	note "a rescue, and restored"
	DEVS=("${DEVS[6]}" "${DEVS[@]:1:3}" "${DEVS[5]}" "${DEVS[0]}" "${DEVS[4]}")
	DISKS=("${DISKS[6]}" "${DISKS[@]:1:3}" "${DISKS[5]}" "${DISKS[0]}" "${DISKS[4]}")
	mdadm --assemble --quiet "/dev/$MD" --update=par-rescue "${DEVS[@]:0:5}"
	has "$kib"
	same_file last $last "after a rescue"
	stop_par
	for dev in "${DEVS[@]:0:5}"; do mdadm --zero-superblock "$dev"; done
	SAID=$(mdadm --create "/dev/$MD" --level=par --raid-devices=5 --assume-clean "${DEVS[@]:0:5}" 2>&1 </dev/null) ||
		fail "not restored: $SAID"
	[[ $SAID != *larger* ]] || fail "larger members of a restored array: $SAID"
	has "$kib"
	same_file first 0 "restored"
	stop_par
}

# not_used: arrays that cannot use larger members are the same as with equal members, and mdadm asks as for any level.
not_used() {
	note "a size is given"
	fresh 120G 120G 120G 100G 100G
	asked 'largest drive .* exceeds size .94371840K. by more than 1%' 3,5 --size=90G
	created 3,5 --size=90G --run
	the_same
	stop_par

	note "images of everything"
	fresh 120G 120G 120G 100G 100G
	asked "largest drive .${DEVS[0]}. exceeds size .* by more than 1%" 3,5 --image-share=100
	created 3,5 --image-share=100 --run
	the_same
	stop_par

	note "sleepers are larger"
	fresh 100G 100G 100G 120G 120G
	asked "largest drive .${DEVS[3]}. exceeds size .* by more than 1%" 3,5

	note "missing"
	refused mdadm --create "/dev/$MD" --run --level=par --layout=3,5 --raid-devices=5 "${DEVS[@]:0:4}" missing
	assert_eq "$REFUSAL" 'mdadm: level par does not support missing devices: an array must be whole when it is created' "missing"
}

# unlike: sleepers, or members that never sleep, of different sizes.
unlike() {
	note "one sleeper is larger than the other"
	fresh 120G 120G 120G 100G 110G
	asked "largest drive .${DEVS[4]}. exceeds size .* by more than 1%" 3,5
	note "one member that never sleeps is larger than the others"
	fresh 120G 140G 120G 100G 100G
	asked "largest drive .${DEVS[1]}. exceeds size .* by more than 1%" 3,5
	assert_match "$SAID" "${DEVS[1]}. exceeds size .$(steady_kib)K. by" "the size in question"
	note "by less than 1 %"
	fresh 120G 121G 120G 100G 100G
	created 3,5
	has "$(steady_kib)"
	stop_par
}

spares() {
	note "a spare for any member"
	fresh 120G 120G 120G 100G 100G 120G
	created 3,5 --spare-devices=1
	[[ $SAID != *spare* ]] || fail "of a spare that is large enough: $SAID"
	has "$(steady_kib)"
	stop_par
	note "a spare for sleepers"
	fresh 120G 120G 120G 100G 100G 100G
	created 3,5 --spare-devices=1
	assert_eq "$(grep -c -x -F "mdadm: ${DEVS[5]} $SPARE" <<<"$SAID")" 1 "lines about the spare in: $SAID"
	stop_par
	note "a spare of neither size"
	fresh 120G 120G 120G 100G 100G 110G
	asked "largest drive .${DEVS[5]}. exceeds size .* by more than 1%" 3,5 --spare-devices=1
}

# shapes: other layouts and metadata.
shapes() {
	local metadata
	for metadata in 1.0 1.1; do
		note "metadata $metadata"
		fresh 120G 120G 120G 100G 100G
		created 3,5 --metadata=$metadata --log-size=none --image-share=10
		has "$(steady_kib)"
		stop_par
	done
	note "three gears"
	fresh 120G 120G 120G 100G 100G 100G 100G 100G
	created 3,5,8
	[[ $SAID == *'which never sleep, are larger: '* && $SAID != *'for images of '* ]] || fail "mdadm: $SAID"
	has "$(steady_kib)"
	stop_par
	note "two places are empty"
	fresh 120G 120G 120G 120G 100G 100G 100G 120G
	DEVS=("${DEVS[@]:0:6}")
	created raid6:4,6
	has "$(steady_kib)"
	take_out 1 5
	manage --add "/dev/nullb6"
	wait_for "/sys/block/$MD/md/dev-nullb6/slot" 5
	manage --add "/dev/nullb7"
	wait_whole
	assert_eq "$(mdadm --detail "/dev/$MD" | awk '$NF ~ /nullb[67]/ { print $4, $NF }' | sort)" \
		"1 /dev/nullb7"$'\n'"5 /dev/nullb6" "places of a larger and a smaller disk"
	stop_par
}

all() {
	lives
	not_used
	unlike
	spares
	[ -z "${RAIDPAR_WHOLE:-}" ] || shapes
	rmdisks
}

with_mdadms all 4.6 4.4
