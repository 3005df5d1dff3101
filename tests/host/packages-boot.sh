# shellcheck shell=bash
# The part of tests/host/packages that boots the system in QEMU: by Debian's kernel and
# the initramfs that is in it, with five disks sda to sde. To be sourced.

# verdict COMMAND [NAME]: a line of bash that tells on the console what became of COMMAND, which has to be a program of
# its own: bash does not stop at an error in a subshell whose status is asked for.
verdict() { echo "if $1; then echo RAIDPAR-VERDICT ok ${2:-}; else echo RAIDPAR-VERDICT failed ${2:-}; fi"; }

# init_of FILE: the system's process 1 runs it and powers off. The array's metadata are written by then.
init_of() {
	cat <<-END
		#!/bin/bash
		export PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root
		exec >/dev/console 2>&1 </dev/null
		mountpoint -q /proc || mount -t proc proc /proc
		mountpoint -q /sys || mount -t sysfs sysfs /sys
		mountpoint -q /run || mount -t tmpfs tmpfs /run
		mkdir -p /run/mdadm
		$(verdict "bash -euxo pipefail $1")
		sync
		echo o >/proc/sysrq-trigger
		sleep 60
	END
}

with_udev() {
	cat <<-'END'
	mount -o remount,rw /
	/lib/systemd/systemd-udevd --daemon
	udevadm trigger --action=add
	udevadm settle
	await() { local n=0; until grep -q "$2" "$1"; do [ $((n += 1)) -lt 600 ]; sleep 1; done; }
	END
}

# The daemon tells of a disk that is gone, by mail; it is replaced as \`paradm status\` says, and the daemon tells of that.
# The mails are kept in a file here.
loses_a_disk() {
	cat <<-'END'
	printf '#!/bin/sh\ncat >>/root/mails\n' >/usr/sbin/sendmail
	chmod 755 /usr/sbin/sendmail
	: >/root/mails
	echo 'mail = "root"' | cat - /etc/paradm/daemon.toml >/root/daemon.toml
	paradm daemon --config /root/daemon.toml &
	daemon=$!
	paradm status
	sleep 5
	grep -ao 'disk-[a-f]' /sys/block/sde/device/vpd_pg80 >/etc/raid-par-lost
	echo 1 >/sys/block/sde/device/delete
	head -c 4M /dev/urandom >/srv/written
	sync
	await /root/mails 'md0 is degraded: 1 member is missing'
	status=0
	paradm status >/root/said || status=$?
	[ "$status" = 1 ]
	grep 'action: `mdadm /dev/md0 ' /root/said
	mdadm /dev/md0 --remove failed --remove detached
	mdadm /dev/md0 --add /dev/sdf
	await /proc/mdstat '\[5/5\]'
	await /root/mails 'md0 is whole'
	paradm status
	paradm events --kind state || true
	kill "$daemon"
	wait "$daemon"
	END
}

# udev, and the guide's commands.
write_init() {
	mkdir -p "$ROOT/opt/checks"
	init_of /opt/checks/mount >"$ROOT/opt/checks/init"
	init_of /opt/checks/again >"$ROOT/opt/checks/init-again"
	{
		with_udev
		cat <<-'END'
		# The initramfs has loaded it; it is to load by its alias as well.
		[ -e /sys/module/raid_par ]
		rmmod raid-par
		END
		guide "$NUMBER" after
		cat <<-'END'
		grep -q '^md0 : active par ' /proc/mdstat
		grep -qx auto /sys/block/md0/md/par/policy
		[ "$(findmnt -n -o SOURCE,FSTYPE /srv | xargs)" = '/dev/md0 ext4' ]
		cp /bin/bash /srv/
		sync
		cmp /bin/bash /srv/bash
		paradm status
		modinfo -F filename raid-par | grep -q /updates/dkms/
		umount /srv
		mdadm --stop /dev/md0
		mdadm --assemble --scan
		mount /srv
		cmp /bin/bash /srv/bash
		END
		loses_a_disk
		cat <<-'END'
		cmp /bin/bash /srv/bash
		find /srv -type f -exec sha256sum {} + >/etc/raid-par-sums
		umount /srv
		mdadm --stop /dev/md0
		END
	} >"$ROOT/opt/checks/mount"
	# In a later Debian: what it starts itself, with the disk that was added in the place of the lost one.
	{
		with_udev
		cat <<-'END'
		await /proc/mdstat '^md0 : active .*par '
		grep '\[5/5\]' /proc/mdstat
		mount /srv
		sha256sum --quiet -c /etc/raid-par-sums
		grep -qx auto /sys/block/md0/md/par/policy
		mdadm --version 2>&1 | grep raid-par
		modinfo -F filename raid-par | grep /updates/dkms/
		paradm status
		paradm daemon --check
		await /sys/block/md0/md/sync_action '^idle$'
		echo check >/sys/block/md0/md/sync_action
		sleep 1
		await /sys/block/md0/md/sync_action '^idle$'
		[ "$(cat /sys/block/md0/md/mismatch_cnt)" = 0 ]
		umount /srv
		mdadm --stop /dev/md0
		END
	} >"$ROOT/opt/checks/again"
	chmod 755 "$ROOT"/opt/checks/init*
}

# What the machine does not need does not go into its disk.
NOT_NEEDED=(usr/src var/cache var/lib/apt/lists root/raid-par root/.cargo root/.cache opt/built
	usr/lib/gcc usr/lib/rustlib 'usr/lib/llvm-*' 'usr/lib/*/lib'{LLVM,rustc_driver}'*' usr/share/doc usr/share/locale 'usr/lib/modules/*/kernel/'{sound,net,drivers/{gpu,net,media}})

# make_image TREE: the disks, and the kernel beside them.
make_image() {
	local disk
	cp "$1/boot/vmlinuz-$RELEASE" "$WORK/image/vmlinuz"
	cp "$1/boot/initrd.img-$RELEASE" "$WORK/image/initrd"
	truncate -s "$(($(du -sm "$1" | cut -f1) * 5 / 4 + 400))M" "$WORK/image/root.img"
	mkfs.ext4 -q -F ${ROOT_UUID:+-U "$ROOT_UUID"} -d "$1" "$WORK/image/root.img"
	for disk in a b c d e f; do truncate -s "$DISK_MIB"M "$WORK/image/sd$disk.img"; done
}

# machine SECONDS DISKS COMMAND-LINE [QEMU-OPTION...]: its console is this one's.
machine() {
	local options=() disk accel=tcg seconds=$1 disks=$2 line=$3
	shift 3
	[ ! -w /dev/kvm ] || ! grep -qE '^flags.* (vmx|svm)( |$)' /proc/cpuinfo || accel=kvm
	for disk in $disks; do
		options+=(-drive "file=$WORK/image/sd$disk.img,format=raw,if=none,id=$disk" -device "scsi-hd,drive=$disk,bus=scsi.0,serial=disk-$disk")
	done
	exec "$TOP/scripts/in-root" --write "$WORK/image" -- timeout -s KILL "$seconds" qemu-system-x86_64 -accel "$accel" -m 1536 -smp 2 \
		-nographic -no-reboot -nic none -kernel "$WORK/image/vmlinuz" -initrd "$WORK/image/initrd" \
		-append "$line console=ttyS0 panic=-1 mitigations=off no_timer_check" \
		-device virtio-scsi-pci,id=scsi "${options[@]}" "$@"
}

# own_disk OPTION LOG [PROGRAM [DISKS]]: with the system's disk, which has the program that runs as process 1.
own_disk() {
	(machine 1800 "${4:-a b c d e f}" "root=/dev/vda $1 init=/opt/checks/${3:-init}" \
		-drive "file=$WORK/image/root.img,format=raw,if=virtio" </dev/null) >"$2" 2>&1 || true
}

# small_image: of the system, without what the machine does not need.
small_image() {
	local path
	rm -rf "$WORK/image"
	mkdir -p "$WORK/image"
	cp -al "$ROOT" "$WORK/image/tree"
	# shellcheck disable=SC2086  # patterns
	for path in "${NOT_NEEDED[@]}"; do rm -rf "$WORK/image/tree/"$path; done
	depmod -b "$WORK/image/tree" "$RELEASE"
	DISK_MIB=512 make_image "$WORK/image/tree"
}

quiet_kernel() { ! grep -aE 'WARNING:|BUG:|Oops|Call Trace:' "$1" || fail "the kernel complains, see $1"; }

# What the system has stored for later starts goes into the tree, and through its upgrades.
KEPT=(etc/fstab etc/mdadm/mdadm.conf etc/raid-par-sums etc/raid-par-lost)

boot_and_mount() {
	local file
	write_init
	small_image
	own_disk rw "$WORK/boot.log"
	grep -aq 'RAIDPAR-VERDICT ok' "$WORK/boot.log" || { tail -n 40 "$WORK/boot.log"; fail "the guide's commands in the booted system"; }
	quiet_kernel "$WORK/boot.log"
	rm -rf "$WORK/disks"
	mkdir "$WORK/disks"
	mv "$WORK"/image/sd?.img "$WORK/disks/"
	for file in "${KEPT[@]}"; do
		debugfs -R "cat /$file" "$WORK/image/root.img" >"$ROOT/$file" 2>/dev/null
		[ -s "$ROOT/$file" ] || fail "the system has no $file"
	done
	rm -rf "$WORK/image"
	echo "booted $RELEASE by its own initramfs: array, ext4, mounted, assembled again; a disk lost, told of by mail, replaced"
}

# The array of boot_and_mount in the system as it is now.
runs_after_upgrade() {
	local disks='a b c d e f ' lost
	lost=$(sed 's/^disk-//' "$ROOT/etc/raid-par-lost")
	small_image
	cp --sparse=always "$WORK"/disks/sd?.img "$WORK/image/"
	own_disk rw "$WORK/again.log" init-again "${disks/$lost /}"
	rm -rf "$WORK/image"
	grep -aq 'RAIDPAR-VERDICT ok' "$WORK/again.log" || { tail -n 40 "$WORK/again.log"; fail "the array in the upgraded system"; }
	quiet_kernel "$WORK/again.log"
	echo "booted $RELEASE after the upgrade: the array runs, its files are as they were, a check finds no mismatch"
}

# A system whose root file system is on a par array, from which systemd boots to a login.

ARRAY_UUID=6a2b0c11:22334455:66778899:aabbccdd
FS_UUID=5e1f7a52-6d0c-4a53-9b1c-7c0f5a1d2e3f

# Commands of the documents, of these sections of tests/guide/list and in its order: each must succeed as a whole,
# and what has no end of itself must still run when it is ended.
with_systemd() { listed 'host/packages-boot.sh: with_systemd' | while read -r command; do printf 'bash -eo pipefail -c %q\n' "$command"; done; }

# shellcheck disable=SC2016  # for the system
endless() {
	listed 'host/packages-boot.sh: endless' | while read -r command; do
		printf 'status=0; timeout 15 bash -o pipefail -c %q >/root/said || status=$?; [ "$status" = 124 ]\n' "$command"
	done
}

# The system's own programs for each start of it; the verdict is for the console.
write_checks() {
	local dir=$1/opt/checks
	mkdir -p "$dir"
	# shellcheck disable=SC2016  # for the system
	verdict 'bash -x "/opt/checks/$1"' '"$1"' >"$dir/run"
	cat >"$dir/common" <<-'END'
		set -euo pipefail
		export PAGER=cat SYSTEMD_PAGER=cat
		PAR=/sys/block/md0/md/par
		await() { local n=0; until grep -qx "$2" "$1"; do [ $((n += 1)) -lt 300 ]; sleep 1; done; }
		[ "$(findmnt -n -o SOURCE /)" = /dev/md0 ]
		grep '^md0 : active par ' /proc/mdstat
		modinfo -F filename raid-par | grep /updates/dkms/
	END
	# shellcheck disable=SC2016  # for the system
	{
		echo '. /opt/checks/common; grep "\[5/5\]" /proc/mdstat'
		echo 'systemctl is-active paradm; [ "$(systemctl is-enabled par-smart.timer)" = disabled ]'
		echo 'export EDITOR=true'
		echo 'truncate -s 16M /srv.img; mkfs.ext4 -q /srv.img; echo "/srv.img /srv ext4 loop,nofail 0 2" >>/etc/fstab'
		# The kernel's messages are to tell of it.
		echo 'echo 3 >$PAR/gear; await $PAR/gear 3; await $PAR/shift_state idle'
		with_systemd
		echo 'mountpoint -q /srv'
		endless
		echo 'find /usr/bin /usr/sbin -type f -exec sha256sum {} + >/root/sums; sync'
	} >"$dir/all"
	cat >"$dir/low" <<-'END'
		. /opt/checks/common
		grep "gear 3 of 3,5 \[5/5\]" /proc/mdstat
		sha256sum --quiet -c /root/sums
		cp /root/sums /root/synced; sync /root/synced
		echo 5 >$PAR/gear
		for i in $(seq 100); do dd if=/dev/urandom of=/root/noise.$i bs=1M count=2 status=none; done &
		sleep 5
		cp /root/sums /root/synced2; sync /root/synced2
		echo RAIDPAR"-CUT"
		sleep 600
	END
	cat >"$dir/cut" <<-'END'
		. /opt/checks/common
		grep "\[5/5\]" /proc/mdstat
		sha256sum --quiet -c /root/sums
		cmp /root/sums /root/synced; cmp /root/sums /root/synced2
		rm -f /root/noise.*; sync
		await /sys/block/md0/md/sync_action idle
		echo check >/sys/block/md0/md/sync_action; sleep 1; await /sys/block/md0/md/sync_action idle
		[ "$(cat /sys/block/md0/md/mismatch_cnt)" = 0 ]
	END
	cat >"$dir/missing" <<-'END'
		. /opt/checks/common
		grep "\[5/4\]" /proc/mdstat
		sha256sum --quiet -c /root/sums
	END
}

prepare_par_system() {
	local path new=$WORK/par-root options=()
	for path in "${NOT_NEEDED[@]}"; do options+=(--exclude="./$path"); done
	rm -rf "$new"
	mkdir -p "$new"
	tar -C "$ROOT" "${options[@]}" -cf - . | tar -C "$new" -xf -
	depmod -b "$new" "$RELEASE"
	mkdir -p "$new"/var/cache/apt/archives/partial "$new"/usr/share/doc
	echo 'force-unsafe-io' >"$new/etc/dpkg/dpkg.cfg.d/unsafe-io"
	ROOT=$new run bash -euxo pipefail -c "
		apt-get update
		apt-get install -y --no-install-recommends systemd-sysv libpam-systemd login passwd dbus udisks2 e2fsprogs \
			sysstat fatrace blktrace smartmontools
		echo 'root:par' | chpasswd
		echo par >/etc/hostname
		echo 'UUID=$FS_UUID / ext4 defaults,errors=remount-ro 0 1' >/etc/fstab
		sed -i '/^ARRAY /d' /etc/mdadm/mdadm.conf
		echo 'ARRAY /dev/md0 metadata=1.2 UUID=$ARRAY_UUID' >>/etc/mdadm/mdadm.conf
		systemctl mask apt-daily.timer apt-daily-upgrade.timer fstrim.timer e2scrub_all.timer dpkg-db-backup.timer
		systemctl mask mdcheck_start.timer mdcheck_continue.timer mdmonitor-oneshot.timer
		update-initramfs -u -k $RELEASE
		apt-get clean; rm -rf /var/lib/apt/lists/*" >"$WORK/par-root.log" 2>&1 ||
		{ tail -n 20 "$WORK/par-root.log"; fail "the system that is to be on the array"; }
	rm -f "$new/usr/sbin/policy-rc.d"
	write_checks "$new"
	init_of /opt/checks/create >"$new/opt/checks/init"
	chmod 755 "$new/opt/checks/init"
	cat >"$new/opt/checks/create" <<-END
		modprobe raid-par
		mdadm --create /dev/md0 --run --level=par --raid-devices=5 --layout=3,5 --uuid=$ARRAY_UUID /dev/sd[a-e]
		dd if=/dev/vda of=/dev/md0 bs=1M conv=sparse,fsync
		mdadm --wait /dev/md0 || true
		mdadm --stop /dev/md0
	END
}

# await LOG PATTERN SECONDS: false as well if the machine ends.
await() {
	local end=$((SECONDS + $3))
	until grep -aqE "$2" "$1"; do
		[ "$SECONDS" -lt "$end" ] && kill -0 "$MACHINE" 2>/dev/null || return 1
		sleep 1
	done
}

# login NAME DISKS: boots from the array, logs in, runs the checks NAME, and stops it (or cuts its power).
login() {
	local name=$1 log=$WORK/login-$1.log start=$SECONDS fifo=$WORK/image/keyboard until="RAIDPAR-VERDICT ok $1"
	rm -f "$fifo" "$log"
	mkfifo "$fifo"
	(machine 2400 "$2" "root=UUID=$FS_UUID ro" <"$fifo") >"$log" 2>&1 &
	MACHINE=$!
	exec 9>"$fifo"
	if await "$log" 'par login:' 1500 && printf 'root\n' >&9 && await "$log" 'Password:' 120 && printf 'par\n' >&9 &&
		await "$log" 'root@par:~#' 300; then
		echo "logged in after $((SECONDS - start)) s ($name)"
		printf 'bash /opt/checks/run %s\n' "$name" >&9
		await "$log" 'RAIDPAR-VERDICT (ok|failed)|RAIDPAR-CUT' 1500 || true
	fi
	if grep -aq RAIDPAR-CUT "$log"; then
		until=RAIDPAR-CUT
		kill -9 "$MACHINE"
	elif grep -aq "$until" "$log"; then
		printf 'systemctl poweroff\n' >&9
		await "$log" 'reboot: Power down' 300 || true
	fi
	exec 9>&-
	kill -9 "$MACHINE" 2>/dev/null || true
	wait "$MACHINE" 2>/dev/null || true
	grep -aq "$until" "$log" || { tail -n 40 "$log"; fail "booting from the array ($name), see $log"; }
	quiet_kernel "$log"
}

boots_from_par() {
	rm -rf "$WORK/image"
	mkdir -p "$WORK/image"
	prepare_par_system
	DISK_MIB=1400 ROOT_UUID=$FS_UUID make_image "$WORK/par-root"
	# These disks only: the kernel probes several at a time, and names them in any order.
	own_disk ro "$WORK/par-create.log" init 'a b c d e'
	grep -aq 'RAIDPAR-VERDICT ok' "$WORK/par-create.log" || { tail -n 30 "$WORK/par-create.log"; fail "putting the system on an array"; }
	rm -rf "$WORK/image/root.img" "$WORK/par-root"
	login all 'a b c d e'
	login low 'a b c d e'
	login cut 'a b c d e'
	login missing 'a b c e'
	rm -rf "$WORK/image"
	echo "booted $RELEASE from a par array to a login: all members, low gear, after a power cut, one missing"
}
