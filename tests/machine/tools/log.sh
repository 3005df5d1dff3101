# shellcheck shell=bash
# Functions for tests of arrays with a write log. The file $TWIN has the expected content of the first 8 MiB.

TWIN=$MACHINE_TMP/twin

# create_logged LAYOUT MIB [OPTION...]: create an array on all disks, with a log of MIB on each member.
create_logged() {
	local layout=$1 mib=$2
	shift 2
	create_par "$layout" --log-size="${mib}M" "$@"
}

# fill_twin: write random data to the array, and the same data to the file.
fill_twin() {
	fill 8
	dd if="/dev/$MD" of="$TWIN" bs=1M count=8 iflag=direct status=none
}

# write_some SEED COUNT [large]: send writes of 512 bytes to 32 KiB, or 1020 KiB, to the array and to the file.
write_some() { "$TOOLS/log_writes.py" "/dev/$MD" "$TWIN" "$@"; }

# same WHAT: array and file have the same content.
same() {
	dd if="/dev/$MD" of="$TWIN.read" bs=1M count=8 iflag=direct status=none
	# shellcheck disable=SC2153  # create_par sets LAYOUT
	cmp "$TWIN.read" "$TWIN" || fail "$LAYOUT: $1"
}
