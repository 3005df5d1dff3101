# shellcheck shell=bash
# Arrays with a write log, and a file that has what their first 8 MiB should have.

TWIN=$MACHINE_TMP/twin

# create_logged LAYOUT MIB [OPTION...]: an array on all disks, with a log of so much on each member.
create_logged() {
	local layout=$1 mib=$2
	shift 2
	create_par "$layout" --log-size="${mib}M" "$@"
}

# fill_twin: something in the array, and the same in the file.
fill_twin() {
	fill 8
	dd if="/dev/$MD" of="$TWIN" bs=1M count=8 iflag=direct status=none
}

# write_some SEED COUNT [large]: writes of 512 bytes to 32 KiB, or 1020 KiB, to the array and to the file.
write_some() { "$TOOLS/log_writes.py" "/dev/$MD" "$TWIN" "$@"; }

# same WHAT: the array has what the file has.
same() {
	dd if="/dev/$MD" of="$TWIN.read" bs=1M count=8 iflag=direct status=none
	# shellcheck disable=SC2153  # create_par sets LAYOUT
	cmp "$TWIN.read" "$TWIN" || fail "$LAYOUT: $1"
}
