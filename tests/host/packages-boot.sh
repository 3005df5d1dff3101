# shellcheck shell=bash
# The part of tests/host/packages that boots the system in QEMU: by Debian's kernel and
# the initramfs that is in it, with five disks sda to sde. To be sourced.

# What is process 1 there: udev, the guide's commands, and a verdict on the console.
write_init() {
	{
		cat <<-'END'
		#!/bin/bash
		export PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root
		exec >/dev/console 2>&1 </dev/null
		mount -o remount,rw /
		mountpoint -q /proc || mount -t proc proc /proc
		mountpoint -q /sys || mount -t sysfs sysfs /sys
		mountpoint -q /run || mount -t tmpfs tmpfs /run
		mkdir -p /run/mdadm
		/lib/systemd/systemd-udevd --daemon
		udevadm trigger --action=add && udevadm settle
		set -x
		(
			set -euo pipefail
			# The initramfs has loaded it; it is to load by its alias as well.
			[ -e /sys/module/raid_par ]
			rmmod raid-par
		END
		guide "$NUMBER" after
		cat <<-'END'
			grep -q '^md0 : active par ' /proc/mdstat
			mountpoint -q /srv && findmnt -n -o FSTYPE /srv | grep -qx ext4
			cp /bin/bash /srv/ && sync && cmp /bin/bash /srv/bash
			paradm status
			modinfo -F filename raid-par | grep -q /updates/dkms/
			umount /srv
			mdadm --stop /dev/md0
			mdadm --assemble --scan
			mount /srv && cmp /bin/bash /srv/bash
		) && echo RAIDPAR-VERDICT ok || echo RAIDPAR-VERDICT failed
		sync
		echo o >/proc/sysrq-trigger
		sleep 60
		END
	} >"$ROOT/root/boot-test"
	chmod 755 "$ROOT/root/boot-test"
}

# What the machine does not need does not go into its disk.
make_image() {
	local tree=$WORK/image/tree disk
	mkdir -p "$WORK/image"
	cp "$ROOT/boot/vmlinuz-$RELEASE" "$WORK/image/vmlinuz"
	cp "$ROOT/boot/initrd.img-$RELEASE" "$WORK/image/initrd"
	cp -al "$ROOT" "$tree"
	rm -rf "$tree"/usr/src "$tree"/var/cache "$tree"/root/{raid-par,.cargo} "$tree"/usr/lib/{gcc,rustlib,llvm-*}
	truncate -s "$(($(du -sm "$tree" | cut -f1) * 5 / 4 + 400))M" "$WORK/image/root.img"
	mkfs.ext4 -q -F -d "$tree" "$WORK/image/root.img"
	rm -rf "$tree"
	for disk in a b c d e; do truncate -s 512M "$WORK/image/sd$disk.img"; done
}

qemu_machine() {
	local options=() disk accel=tcg
	[ ! -w /dev/kvm ] || ! grep -qE '^flags.* (vmx|svm)( |$)' /proc/cpuinfo || accel=kvm
	for disk in a b c d e; do
		options+=(-drive "file=$WORK/image/sd$disk.img,format=raw,if=none,id=$disk" -device "scsi-hd,drive=$disk,bus=scsi.0")
	done
	"$TOP/scripts/in-root" --write "$WORK/image" -- timeout -s KILL "$1" qemu-system-x86_64 -accel "$accel" -m 1536 -smp 2 \
		-nographic -no-reboot -nic none -kernel "$WORK/image/vmlinuz" -initrd "$WORK/image/initrd" \
		-append "root=/dev/vda rw console=ttyS0 init=/root/boot-test panic=-1 mitigations=off no_timer_check" \
		-drive "file=$WORK/image/root.img,format=raw,if=virtio" -device virtio-scsi-pci,id=scsi "${options[@]}" </dev/null
}

boot_and_mount() {
	write_init
	make_image
	qemu_machine 1800 >"$WORK/boot.log" 2>&1 || true
	rm -rf "$WORK/image"
	grep -q 'RAIDPAR-VERDICT ok' "$WORK/boot.log" || { tail -n 40 "$WORK/boot.log"; fail "the guide's commands in the booted system"; }
	! grep -E 'WARNING:|BUG:|Oops|Call Trace:' "$WORK/boot.log" || fail "the kernel complains"
	echo "booted $RELEASE by its own initramfs: array, ext4, mounted, assembled again"
}
