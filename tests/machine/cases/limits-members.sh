#!/bin/bash
# The sizes that the array recommends to file systems are those of its chunks, whatever its members recommend; so is its read-ahead.
# subject: shape
# plain: yes
. "$(dirname "$0")/../tools/par.sh"
. "$(dirname "$0")/../tools/scsi.sh"

queue() { cat "/sys/block/$1/queue/$2"; }

# recommends LAYOUT DATA OPTION=VALUE...: an array of DATA data members, which are disks of scsi_debug with these options.
recommends() {
	local layout=$1 chunk=$((512 << 10)) data=$2 granule=4096
	shift 2
	mkscsi "$(top_gear "$layout")" 32M "$@"
	note "$*: members of $(queue "${DISKS[0]}" minimum_io_size), $(queue "${DISKS[0]}" optimal_io_size)"
	assert_ne "$(queue "${DISKS[0]}" optimal_io_size)" 0 "$*: optimal_io_size of a member"
	create_par "$layout"
	while [ "$granule" -lt $((chunk * data)) ]; do granule=$((granule * 2)); done
	assert_eq "$(queue "$MD" minimum_io_size)" "$chunk" "$*: minimum_io_size"
	assert_eq "$(queue "$MD" optimal_io_size)" $((chunk * data)) "$*: optimal_io_size"
	assert_eq "$(queue "$MD" discard_granularity)" "$granule" "$*: discard_granularity"
	assert_eq "$(queue "$MD" read_ahead_kb)" $((2 * chunk * data >> 10)) "$*: read_ahead_kb"
	assert_eq "$(cat "/sys/block/$MD/alignment_offset")" 0 "$*: alignment_offset"
	assert_match "$(mkfs.ext4 -n -v -b 4096 "/dev/$MD" 2>/dev/null)" "Stride=128 blocks, Stripe width=$((128 * data)) blocks" "$*: mkfs.ext4"
	stop_par
	rmscsi
}

# 33553920 bytes, which many SAS and USB disks report.
recommends 3,5 4 opt_blks=65535
# 16773120 bytes
recommends raid6:4,5 3 opt_blks=4095 sector_size=4096
# They recommend more than a chunk.
recommends 3,5 4 opt_blks=49152 opt_xferlen_exp=14
