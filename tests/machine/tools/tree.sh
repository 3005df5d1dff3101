# shellcheck shell=bash
# A tree of real files on a file system on $MD, and a copy of it elsewhere. Needs par.sh.

MNT=/mnt/par
COPY=$MACHINE_TMP/copy

# make_fs TYPE: make a file system, and mount it.
make_fs() {
	FS=$1
	case $FS in
	ext4) mkfs.ext4 -q -F "/dev/$MD" ;;
	xfs) mkfs.xfs -q -f "/dev/$MD" ;;
	esac
	mkdir -p "$MNT"
	mount "/dev/$MD" "$MNT"
}

remount() { umount "$MNT"; mount "/dev/$MD" "$MNT"; }

# check_fs: unmount the file system; its own checker finds no error.
check_fs() {
	case $FS in
	ext4) fsck.ext4 -f -n "/dev/$MD" >/dev/null 2>&1 || fail "fsck: status $?" ;;
	xfs) xfs_repair -n "/dev/$MD" >/dev/null 2>&1 || fail "xfs_repair: status $?" ;;
	esac
}

make_tree() {
	rm -rf "$COPY"
	mkdir -p "$COPY/first"
	cp -r /usr/include/linux/netfilter /usr/include/linux/can "$COPY/first"
	cp -r "$COPY/first" "$MNT/"
	sync -f "$MNT"
}

# change_tree NAME: create, overwrite and delete files, the same in both trees.
change_tree() {
	local side file
	for side in "$COPY" "$MNT"; do
		cp -r /usr/include/linux/dvb "$side/$1"
		find "$side/first" -name '*.h' | sort | sed -n 1,10p | xargs rm
		for file in "$side"/*/d*.h; do
			echo "changed by $1" | dd of="$file" bs=1 seek=100 conv=notrunc status=none
		done
	done
	sync -f "$MNT"
}

compare_tree() {
	echo 3 >/proc/sys/vm/drop_caches
	diff -r --exclude=lost+found "$COPY" "$MNT" >"$MACHINE_TMP/diff" ||
		fail "files differ $1: $(head -n 5 "$MACHINE_TMP/diff")"
}
