# shellcheck shell=bash
# Daemons that query disks: udev, udisks and smartd of Debian 13, in the Debian of a machine
# with --debian. The disks of power.sh are disks of sd.

export POWER_DISKS=scsi
# shellcheck source=power.sh
. "$(dirname "${BASH_SOURCE[0]}")/power.sh"

DEBIAN=/debian
DAEMONS=()	# process ids
export SYSTEMD_IGNORE_CHROOT=1	# udev's programs do nothing in a chroot otherwise

IN_DEBIAN=(chroot "$DEBIAN" /usr/bin/env PATH=/usr/local/sbin:/usr/sbin:/usr/bin)
in_debian() { "${IN_DEBIAN[@]}" "$@"; }

# daemon LOG COMMAND...: start a daemon in the background. stop_daemon: stop the one started last.
daemon() {
	"${IN_DEBIAN[@]}" "${@:2}" >"$1" 2>&1 &
	DAEMONS+=("$!")
}

stop_daemon() {
	kill "${DAEMONS[-1]}"
	wait "${DAEMONS[-1]}" || true
	unset 'DAEMONS[-1]'
}

# enter_debian: mount the machine's devices and state files, and its mdadm, in the Debian.
enter_debian() {
	local dir
	[ -d "$DEBIAN/usr" ] || fail "no Debian: see tests/machine/run --debian"
	for dir in dev proc sys run tmp; do
		mkdir -p "$DEBIAN/$dir"
		mount --rbind "/$dir" "$DEBIAN/$dir"
	done
	cp "$(command -v mdadm)" "$DEBIAN/usr/sbin/mdadm"
	mkdir -p "$DEBIAN/etc/udev/rules.d"
}

# pretend_ata: let udev call the disks ATA disks, so that udisks sends ATA commands to them.
pretend_ata() {
	echo 'SUBSYSTEM=="block", KERNEL=="sd*", ENV{ID_ATA}="1"' >"$DEBIAN/etc/udev/rules.d/61-ata.rules"
}

start_udev() {
	daemon /tmp/udevd.log /usr/lib/systemd/systemd-udevd
	# As at boot, all disks are announced.
	wait_for_udev
	in_debian udevadm trigger --type=subsystems --action=add
	in_debian udevadm trigger --action=add --subsystem-match=block
	in_debian udevadm settle --timeout=120
}

wait_for_udev() {
	until_ok 300 in_debian udevadm control --ping --timeout=5 2>/dev/null || fail "udev does not answer: $(cat /tmp/udevd.log)"
}

# rules_again: udev reads its rules again, and applies them to all disks.
rules_again() {
	in_debian udevadm control --reload
	in_debian udevadm trigger --action=add --subsystem-match=block
	in_debian udevadm settle --timeout=120
}

# udev_says DISK PROPERTY
udev_says() { in_debian udevadm info --query=property --property="$2" --value "/dev/$1"; }

start_udisks() {
	mkdir -p /run/dbus /run/udisks2
	[ -S /run/dbus/system_bus_socket ] || in_debian dbus-daemon --system --fork --nopidfile
	daemon /tmp/udisks.log /usr/libexec/udisks2/udisksd --debug
	wait_for_log /tmp/udisks.log 'Acquired the name'
	nap 20
}

# start_smartd LINE...: start smartd with these lines as its configuration.
start_smartd() {
	printf '%s\n' "$@" >"$DEBIAN/etc/smartd.conf"
	daemon /tmp/smartd.log stdbuf -oL smartd --debug --interval=1800
	wait_for_log /tmp/smartd.log 'Monitoring [0-9]+ '
}

wait_for_log() {
	until_ok 60 grep -qE "$2" "$1" || fail "$1: no '$2': $(tail -n 20 "$1")"
}
