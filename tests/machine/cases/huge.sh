#!/bin/bash
# An array of five 16 TB disks is created in 2 s, clean, and its map needs little memory.
# subject: life
# machine: --mem 2G
# alone: yes
. "$(dirname "$0")/../tools/par.sh"

# used: print the kernel's memory in KiB, without the page cache, and without the pages that each CPU keeps when they are freed.
used() {
	awk '$1 ~ /^(MemTotal):/ { n += $2 } $1 ~ /^(MemFree|Cached|Buffers|SReclaimable):/ { n -= $2 }
		$1 == "count:" { n -= 4 * $2 } END { print n }' /proc/meminfo /proc/zoneinfo
}

# timed WHAT MOST COMMAND...: run the command, which should take at most MOST ms. SLOW names the commands that
# took longer, perhaps because of other load on the host.
timed() {
	ms_of "${@:3}"
	note "$1: $MS ms, at most $2"
	[ "$MS" -le "$2" ] || SLOW+="$MS ms to $1, at most $2; "
}

# touch_all SEED: write some data near the start, in the middle, and at the end.
touch_all() {
	local at n=0
	for at in 0 $((ARRAY / 2 - 1)) $((ARRAY - 4)); do
		n=$((n + 1))
		dd if=/dev/urandom of="$MACHINE_TMP/part$n" bs=1M count=4 status=none
		dd if="$MACHINE_TMP/part$n" of=/dev/md0 bs=1M seek="$at" oflag=direct conv=fsync,notrunc status=none
	done
}

compare_all() {
	local at n=0
	for at in 0 $((ARRAY / 2 - 1)) $((ARRAY - 4)); do
		n=$((n + 1))
		dd if=/dev/md0 bs=1M skip="$at" count=4 iflag=direct status=none | cmp - "$MACHINE_TMP/part$n"
	done
}

shift_fast() { shift_to "$1"; compare_all; }

# live: run all timed commands, from the array's creation to its stop.
live() {
	local before cost
	SLOW=
	mkdisks 5 16T
	modprobe raid-par
	before=$(used)
	timed "create the array" 2000 create_par 3,5 --log-size=none
	assert_eq "$(par log_size)" 0 "bytes of a log that is not wanted"
	assert_match "$(mdadm --detail /dev/md0)" 'State : clean' "state"
	assert_eq "$(</sys/block/md0/md/sync_action)" idle "sync_action"
	ARRAY=$(array_mib)
	assert_le $((31 << 20)) "$ARRAY" "MiB of the array"
	cost=$(($(used) - before))
	note "memory of the empty array: $cost KiB"
	# 75 MiB of it are stripes: 16 rows of chunks in each set.
	assert_le "$cost" $((96 << 10)) "KiB for the empty array"

	timed "write in three places" 5000 touch_all
	compare_all
	timed "shift down" 10000 shift_fast 3
	watch_sleepers
	touch_all
	compare_all
	assert_asleep "of a huge array"
	timed "stop and assemble in the low gear" 5000 reassemble_par
	compare_all
	timed "shift up" 10000 shift_fast 5
	timed "discard all of it" 20000 blkdiscard /dev/md0
	assert_eq "$(par rows_written)" 0 "rows after the discard"
	timed "mkfs.xfs" 30000 mkfs.xfs -q -f -d su=512k,sw=4 -l size=64m,su=32k /dev/md0
	# ext4's metadata in one place: each place starts a row on all members.
	timed "mkfs.ext4" 30000 mkfs.ext4 -q -F -J size=8 -O sparse_super2,^resize_inode \
		-E num_backup_sb=0,packed_meta_blocks=1 /dev/md0
	stop_par
	note "$(dissect --geometry)"
	assert_le "$(dissect --geometry | sed 's/# metadata \([0-9]*\) .*/\1/')" $((64 << 10)) "KiB of metadata"
	rmdisks
}

# A command passes if it is fast enough in one of three runs.
for try in 1 2 3; do
	note "try $try"
	live
	[ "$SLOW" ] || break
done
[ -z "$SLOW" ] || fail "$SLOW"
