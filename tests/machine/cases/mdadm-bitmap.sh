#!/bin/bash
# A bitmap added by an mdadm without the patches is refused, and an existing one is dropped when the array starts.
# needs: mdadm-4.4-unpatched?
. "$(dirname "$0")/../tools/par.sh"

UNPATCHED=$RAIDPAR_TOP/build/mdadm-4.4-unpatched/mdadm
[ -x "$UNPATCHED" ] || skip "there is no mdadm 4.4 without the patches"
SYSFS=/sys/block/$MD/md

no_bitmap() {
	local dev
	assert_eq "$(<"$SYSFS/consistency_policy")" resync "consistency policy $1"
	for dev in "${DEVS[@]}"; do
		[[ ! $(mdadm --examine "$dev") =~ 'Internal Bitmap' ]] || fail "$dev has a bitmap $1"
	done
}

# starts_again WHAT: the array starts without any option, with all its data.
starts_again() {
	reassemble_par
	assert_eq "$(fingerprint)" "$SUM" "content after $1"
	no_bitmap "after $1"
}

on_disks 3,5 64M
fill 16
for gear in 5 3; do
	note "a running array in gear $gear"
	shift_to "$gear"
	fill 1 "$gear"
	SUM=$(fingerprint)
	watch_sleepers
	refused "$UNPATCHED" --grow "/dev/$MD" --bitmap=internal
	assert_match "$REFUSAL" 'failed to set internal bitmap' "mdadm's message"
	assert_eq "$(fingerprint)" "$SUM" "content after the refusal"
	starts_again "an internal bitmap"
	if [ -f "$MACHINE_TMP/file" ]; then rm "$MACHINE_TMP/file"; fi
	refused "$UNPATCHED" --grow "/dev/$MD" --bitmap="$MACHINE_TMP/file" --force
	starts_again "a bitmap in a file"
done

# A bitmap that is added through sysfs stays until the next start.
note "an existing bitmap"
if [ -w "$SYSFS/bitmap/metadata" ]; then
	echo internal >"$SYSFS/bitmap/metadata"
	"$UNPATCHED" --grow "/dev/$MD" --bitmap=internal
	fill 1 8
	SUM=$(fingerprint)
	stop_par
	assert_match "$(mdadm --examine "${DEVS[0]}")" 'Internal Bitmap' "a superblock with a bitmap"
	mark_log
	assemble_par
	assert_match "$(log_since)" "level par does not support a write-intent bitmap: the one in md's superblocks is dropped" "kernel log"
	fill 1 9
	SUM=$(fingerprint)
	shift_to 5
	no_bitmap "of a superblock"
	mark_log
	starts_again "a start without it"
	[[ ! $(log_since) =~ 'is dropped' ]] || fail "dropped twice"
fi

note "an existing bitmap that md's superblock mentions, as another mdadm would write it"
stop_par
"$TOOLS/refuse.py" run "${DEVS[@]}" <<'END'
feature_map=1,bitmap_offset=8 OK the one in md's superblocks is dropped
feature_map=1,bitmap_offset=0xfffffff8 OK the one in md's superblocks is dropped
END
assemble_par
assert_eq "$(fingerprint)" "$SUM" "content at the end"
end_par
