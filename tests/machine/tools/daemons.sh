# shellcheck shell=bash
# What a system runs that asks disks by itself: udev, udisks and smartd, as Debian 13 has
# them, in the Debian of a machine with --debian. power.sh's disks are sd's.

export POWER_DISKS=scsi
# shellcheck source=power.sh
. "$(dirname "${BASH_SOURCE[0]}")/power.sh"

DEBIAN=/debian
DAEMONS=()	# processes
export SYSTEMD_IGNORE_CHROOT=1	# for udev's programs, which do nothing in one otherwise

IN_DEBIAN=(chroot "$DEBIAN" /usr/bin/env PATH=/usr/local/sbin:/usr/sbin:/usr/bin)
in_debian() { "${IN_DEBIAN[@]}" "$@"; }

# daemon LOG COMMAND...: in the background. stop_daemon: the one started last.
daemon() {
	"${IN_DEBIAN[@]}" "${@:2}" >"$1" 2>&1 &
	DAEMONS+=("$!")
}

stop_daemon() {
	kill "${DAEMONS[-1]}"
	wait "${DAEMONS[-1]}" || true
	unset 'DAEMONS[-1]'
}

# enter_debian: it has the machine's devices and files of state, and its mdadm.
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

# Commands to the disks are all ATA's to udisks if udev says that they are ATA's disks.
pretend_ata() {
	echo 'SUBSYSTEM=="block", KERNEL=="sd*", ENV{ID_ATA}="1"' >"$DEBIAN/etc/udev/rules.d/61-ata.rules"
}

start_udev() {
	daemon /tmp/udevd.log /usr/lib/systemd/systemd-udevd
	# As at boot.
	wait_for_udev
	in_debian udevadm trigger --type=subsystems --action=add
	in_debian udevadm trigger --action=add --subsystem-match=block
	in_debian udevadm settle --timeout=120
}

wait_for_udev() {
	local i
	for ((i = 0; i < 100; i++)); do
		! in_debian udevadm control --ping --timeout=5 2>/dev/null || return 0
		nap 0.2
	done
	fail "udev does not answer: $(cat /tmp/udevd.log)"
}

# rules_again: udev reads its rules, and takes all disks for new ones.
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

# start_smartd LINE...: of its configuration.
start_smartd() {
	printf '%s\n' "$@" >"$DEBIAN/etc/smartd.conf"
	daemon /tmp/smartd.log stdbuf -oL smartd --debug --interval=1800
	wait_for_log /tmp/smartd.log 'Monitoring [0-9]+ '
}

wait_for_log() {
	local i
	for ((i = 0; i < 150; i++)); do
		! grep -qE "$2" "$1" || return 0
		nap 0.2
	done
	fail "$1: no '$2': $(tail -n 20 "$1")"
}
