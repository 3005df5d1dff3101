#!/bin/bash
# Debian's udev, udisks and smartd, set up as the guide says, wake no sleeper for hours; without that setup they do; par-smart queries only disks that are awake.
# rare: yes
# timeout: 400
# machine: --debian --time-travel
. "$(dirname "$0")/../tools/daemons.sh"

HOURS=6

# causes: print the processes that have last woken the sleepers.
causes() { for d in $(sleepers); do member "$d" last_wake_cause; done | sed 's/\[.*//' | sort -u; }

# nobody_woken WHAT: no sleeper was woken since BEFORE.
nobody_woken() { [ "$(starts)" = "$BEFORE" ] || fail "$1: woken by $(causes)"; }

# hours N: wait until the sleepers are stopped, and then for N hours.
hours() {
	wait_asleep
	nap $(($1 * 3600))
}

# par_smart STATUS [OPTION...]: run par-smart; SAID has its messages.
par_smart() {
	local want=$1 status=0
	shift
	SAID=$(in_debian par-smart --state /run/par-smart "$@" 2>&1) || status=$?
	assert_eq "$status" "$want" "status of par-smart: $SAID"
}

# disks [OPTION]: make disks of scsi_debug with an array, and shift it to its low gear.
disks() {
	mkscsi 5 24M sector_size=4096 "$@"
	create_par 3,5 --chunk=64
	fill 4
	in_debian udevadm settle --timeout=120
	down
	BEFORE=$(starts)
}

disks_gone() { stop_par; rmscsi; }

# with_rules: install the udev rules.
with_rules() {
	local d
	shift_to 5
	make --no-print-directory -C "$RAIDPAR_TOP" install-extras DESTDIR="$DEBIAN" >/dev/null
	rules_again
	for d in "${DISKS[@]}"; do
		assert_eq "$(udev_says "$d" MD_LEVEL)" par "level of $d"
		assert_eq "$(udev_says "$d" ID_ATA)" "" "ID_ATA of $d"
		assert_eq "$(udev_says "$d" ID_ATA_SMART_ACCESS)" none "ID_ATA_SMART_ACCESS of $d"
	done
	down
	BEFORE=$(starts)
}

without_rules() { rm "$DEBIAN/etc/udev/rules.d/65-md-par.rules"; }

enter_debian
pretend_ata
start_udev

note "the kernel's polling of disks, as in many USB enclosures"
disks removable=1
nap 60
assert_match "$(causes)" '^process kworker/' "woken without the rules"
with_rules
nap 600
nobody_woken "with the rules"
disks_gone
without_rules

note "udisks and smartd without anything"
disks
for disk in "${DEVS[@]}"; do in_debian smartctl --quietmode=errorsonly --smart=on "$disk"; done
wait_asleep
BEFORE=$(starts)
start_udisks
assert_ne "$(starts)" "$BEFORE" "starts by udisks"
assert_eq "$(causes)" "process udisksd" "woken"
stop_daemon
wait_asleep
start_smartd "DEVICESCAN -a -n standby"
hours "$HOURS"
assert_eq "$(causes)" "process smartd" "woken"
assert_le $((2 * HOURS - 1)) "$(member 4 spin_ups)" "spin_ups by smartd -n standby"
stop_daemon

note "with the rules and the lines of par-smart"
with_rules
mapfile -t LINES < <(in_debian par-smart --smartd)
assert_eq "${#LINES[@]}" 2 "lines for smartd"
start_udisks
nobody_woken "udisks begins"
start_smartd "${LINES[@]}" "DEVICESCAN -a"
assert_match "$(cat /tmp/smartd.log)" 'Monitoring 0 ATA/SATA, 3 SCSI/SAS' "the disks that smartd monitors"
nobody_woken "smartd begins"
hours "$HOURS"
nobody_woken "$HOURS hours"
assert_le $((3 * (2 * HOURS - 1))) "$(grep -c 'opened SCSI device' /tmp/smartd.log)" "questions of smartd's"

note "par-smart"
par_smart 0
assert_match "$SAID" 'member 0 \(sd.\): healthy' "par-smart's message about a member that is awake"
assert_match "$SAID" 'member 4 \(sd.\): asleep, never queried' "par-smart of a sleeper"
par_smart 0
assert_match "$SAID" 'member 0 \(sd.\): queried 0 minutes ago' "par-smart once more"
nap 172800
par_smart 3 --max-age 1
assert_match "$SAID" 'member 4 .*more than 1 days' "par-smart two days later"
nobody_woken par-smart
shift_to 5
par_smart 0 --max-age 1
assert_match "$SAID" 'member 4 \(sd.\): healthy' "par-smart, in the top gear"
for _ in "${DAEMONS[@]}"; do stop_daemon; done
disks_gone
