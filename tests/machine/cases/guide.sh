#!/bin/bash
# The commands of README and the administrator's documents, taken from their text, do what the documents say, in the order in which a user needs them.
# subject: harness
# needs: paradm
# rare: yes
# machine: --time-travel
# timeout: 600
. "$(dirname "$0")/../tools/par.sh"
. "$(dirname "$0")/../tools/scsi.sh"

# The disks are sda to sdf, as in the documents. The commands are those of the documents, word for word.
# tests/guide/list names the commands that this test runs; at the end all of these must have been run.
GUIDE=$RAIDPAR_TOP/tests/guide
RUN=$MACHINE_TMP/guide-run
PATH=$MACHINE_TMP/bin:/usr/local/sbin:$PATH
declare -A TEXT	# "FILE HEADING" to its commands, a line each

read_documents() {
	local file heading command
	while IFS=$'\t' read -r file heading command; do
		TEXT["$file $heading"]+=$command$'\n'
	done < <("$GUIDE/commands.py")
	: >"$RUN"
}

# guide FILE HEADING: the next commands are from this section.
guide() { FILE=$1 HEADING=$2; }

wanted() { if [ -n "${EXACTLY:-}" ]; then [ "$COMMAND" = "$1" ]; else [[ $COMMAND == "$1"* ]]; fi; }

# find_command BEGINNING: set COMMAND to the section's first command with this beginning.
find_command() {
	COMMAND=
	while IFS= read -r COMMAND; do
		! wanted "$1" || return 0
	done <<<"${TEXT["$FILE $HEADING"]:-}"
	fail "$FILE, $HEADING: no command begins with '$1'"
}

# run BEGINNING: run that command in this shell; OUTPUT has its messages. The answer to mdadm's questions is yes.
run() {
	find_command "$1"
	printf '%s: %s\n' "$FILE" "${COMMAND//$'\001'/\\n}" >>"$RUN"
	COMMAND=${COMMAND//$'\001'/$'\n'}
	note "$COMMAND"
	status=0
	eval "$COMMAND" >"$MACHINE_TMP/said" 2>&1 < <(yes 2>/dev/null) || status=$?
	OUTPUT=$(<"$MACHINE_TMP/said")
	[ "$status" -le "${MAY:-0}" ] || fail "$FILE, $HEADING: $COMMAND: status $status: $OUTPUT"
}

# run_exactly COMMAND: run COMMAND, for the case that another command begins with the same words.
run_exactly() { EXACTLY=1 run "$1"; }

# says PATTERN BEGINNING: run the command; its messages match PATTERN.
says() {
	run "$2"
	assert_match "$OUTPUT" "$1" "$COMMAND"
}

# finds PATTERN BEGINNING: the same; exit status 1 is allowed, by which a checking command reports a finding.
finds() { MAY=1 says "$@"; }

# silent BEGINNING: run the command; it prints nothing.
silent() {
	run "$1"
	assert_eq "$OUTPUT" "" "$COMMAND"
}

shifted() { wait_for "/sys/block/md0/md/par/gear" "$1" 600; wait_for /sys/block/md0/md/par/shift_state idle 600; }
idle() { wait_for /sys/block/md0/md/sync_action idle 600; }
out() { cd /; ! mountpoint -q "${1:-/srv}" || umount "${1:-/srv}"; }

fresh_disks() {
	out
	[ ! -b /dev/md0 ] || mdadm --stop --quiet /dev/md0
	[ "${#DISKS[@]}" = 0 ] || rmscsi
	mkscsi 6 64M sector_size=4096
	assert_eq "$(echo /dev/sd[a-f])" '/dev/sda /dev/sdb /dev/sdc /dev/sdd /dev/sde /dev/sdf' "the disks"
}

readme() {
	guide README.md raid-par
	run 'mdadm --create'
	run 'mkfs.ext4'
	run 'echo 3'
	shifted 3
	says 'gear 3 of 3,5 \[5/5\] \[UUUUU\]' 'cat /proc/mdstat'
}

creating() {
	guide admin-guide.md Creating
	run 'mdadm --create /dev/md0 --level=par --raid-devices=5 --layout'
	says 'active par' 'cat /proc/mdstat'
	says 'Layout : raid5, gears 3,5' 'mdadm --detail'
}

shifting() {
	guide admin-guide.md Shifting
	run 'echo 3 > /sys'
	shifted 3
	run 'echo 5 > /sys'
	shifted 5
	says '5' 'cd /sys/block/md0/md/par; cat gear'
	cd /
	run_exactly 'cd /sys/block/md0/md/par'
	run 'echo 3 >gear'
	run 'until'
	says '^3$' 'cat gear'
	says 'member4/asleep:1' 'grep . member'
	run 'awk'
	before=$OUTPUT
	dd if=/dev/md0 of=/dev/null bs=1M status=none
	run 'awk'
	assert_eq "$OUTPUT" "$before" "counters of a sleeper"
	guide admin-guide.md 'Shifting by itself'
	run 'echo auto'
	says 'gear 3 of 5' 'cat /sys/block/md0/md/par/explain'
	run 'echo 5 >min_gear'
	shifted 5
	run 'echo 3 >min_gear'
	run 'echo 3 >max_gear'
	shifted 3
	run 'echo 5 >max_gear'
	echo manual >policy
}

power() {
	guide admin-guide.md 'Disks that stop'
	says 'member4/power_state:asleep' 'cd /sys'
	run 'echo off > spin'
	run 'echo 2000 > wake_stagger'
	echo on >spin
	guide admin-guide.md 'How often a disk may be started'
	run 'for m in member'
	assert_eq "$(cat member4/wanted_years)" 3 "years wanted of member 4"
}

watching() {
	guide admin-tasks.md 'Watching an array'
	says 'gear 3 of 3,5' 'cat /proc/mdstat'
	says 'md0: raid5:3,5' 'paradm status'
	says 'gear 3 of 5' 'paradm explain'
	finds . 'paradm doctor'
	run 'paradm events'
	says 'Gear : 3 of 5' 'mdadm --detail'
	says 'member4/power_state:asleep' 'grep'
	guide admin-tasks.md 'What keeps an array out of its low gear'
	says 'gear 3 of 5' 'cat /sys/block/md0/md/par/explain'
	run 'cat /sys/block/md0/md/par/load_by_hour'
	says 'md0' 'paradm who'
	says 'member4/last_wake_cause' 'cd /sys'
	guide admin-tasks.md Alerts
	says 'raidpar_' 'paradm metrics'
	guide admin-tasks.md 'Questions about shifts'
	says 'spin:on' 'grep'
	says '^[012][0-9]:[0-5]' date
	echo 5 >gear
	shifted 5
	run 'echo 3 >gear'
	shifted 3
	mdadm --quiet --readonly /dev/md0
	run 'mdadm --readwrite /dev/md0'
	guide admin-tasks.md SMART
	cd /sys/block/md0/md/par
	run 'echo 5 >gear'
	shifted 5
	run 'echo 5 >min_gear'
	echo 3 >min_gear
	echo 3 >gear
	shifted 3
}

failing() {
	guide admin-guide.md 'When a member fails'
	mdadm --quiet /dev/md0 --fail /dev/sde
	detached 4
	run 'mdadm /dev/md0 --remove /dev/sde'
	run 'mdadm /dev/md0 --add'
	run 'mdadm --wait'
	idle
	assert_eq "$(cat /sys/block/md0/md/degraded)" 0 "members missing after the rebuild"
	mdadm --quiet /dev/md0 --fail /dev/sdf
	detached 5
	mdadm --quiet /dev/md0 --remove /dev/sdf
	mdadm --quiet /dev/md0 --add /dev/sde
	mdadm --wait /dev/md0 || true
	idle
	mdadm --quiet /dev/md0 --fail /dev/sde
	detached 4
	run 'mdadm /dev/md0 --remove failed'
	run 'mdadm /dev/md0 --re-add'
	mdadm --wait /dev/md0 || true
	idle
	assert_eq "$(cat /sys/block/md0/md/degraded)" 0 "members missing after --re-add"
	guide admin-guide.md 'Check and repair'
	run 'echo check'
	idle
	says '^0$' 'cat /sys'
	run 'echo 1 > /sys'
	cd /sys/block/md0
	guide admin-guide.md 'Stopping, starting, the gear at boot'
	run 'echo repair'
	idle
}

stopping() {
	cd /
	guide admin-guide.md 'Stopping, starting, the gear at boot'
	run 'mdadm --stop'
	run 'mdadm --assemble /dev/md0'
	guide admin-tasks.md 'Lost superblocks'
	run 'mdadm --stop'
	says 'Raid Level : par' 'mdadm --examine'
	run 'mdadm --assemble --verbose'
	run 'mount -o ro'
	umount /mnt
	guide admin-tasks.md 'When nothing starts'
	says 'md0' 'cat /proc/mdstat'
	says par 'mdadm --create --help'
	silent 'modprobe raid-par'
	run 'blkid'
	run 'fsck -n'
	run 'mdadm --stop'
	run 'mdadm --assemble --verbose'
	says 'par' 'mdadm --examine'
	mdadm --quiet --stop /dev/md0
	run 'mdadm --assemble --run'
	assert_eq "$(cat /sys/block/md0/md/degraded)" 1 "members missing with --run"
	mdadm --quiet /dev/md0 --add /dev/sde
	mdadm --wait /dev/md0 || true
	idle
	mdadm --quiet --stop /dev/md0
	# md's superblocks lost
	sum_before=$SUM
	mdadm --zero-superblock /dev/sd[a-e]
	guide admin-guide.md Creating
	run 'mdadm --create /dev/md0 --level=par --raid-devices=5 --assume-clean'
	content
	assert_eq "$SUM" "$sum_before" "files after --create --assume-clean"
}

# content: the checksum of all files on the array.
content() {
	mount /dev/md0 /mnt
	SUM=$(cd /mnt && find . -type f -exec sha256sum {} + | sort | sha256sum)
	umount /mnt
}

installing() {
	guide admin-tasks.md Installing
	cd "$RAIDPAR_TOP"
	run 'make install-extras'
	says 'par\]' 'modprobe raid-par'
	says par 'mdadm --create --help'
	cd /
	run 'mdadm --create /dev/md0'
	run 'mkfs.ext4'
	mkdir -p /etc/mdadm
	run 'mdadm --detail --scan'
	run 'echo "UUID'
	guide admin-tasks.md 'Upgrading raid-par'
	mount /dev/md0 /srv
	run 'umount'
	run 'modprobe -r'
	run 'mdadm --assemble --scan'
	mountpoint -q /srv || fail "/srv is not mounted"
	guide admin-tasks.md SMART
	says '/dev/.* -d ignore' 'par-smart --smartd'
	says 'max-age' 'par-smart --help'
	guide admin-tasks.md Alerts
	# No mail is delivered in this machine.
	echo 'MAILADDR admin@example.org' >>/etc/mdadm/mdadm.conf
	run 'mdadm --monitor --scan'
	guide admin-tasks.md 'Upgrading the kernel'
	out
	run 'mdadm --stop'
	run 'mdadm --assemble --scan'
	guide admin-tasks.md 'When nothing starts'
	mdadm --quiet --stop /dev/md0
	run 'mdadm --assemble --scan --verbose'
}

moving() {
	guide admin-tasks.md 'Moving data in and out'
	mkdir -p /old /new
	cp -r "$RAIDPAR_TOP/Documentation" /old/
	run 'mdadm --create'
	run 'mkfs.ext4'
	run 'rsync -aHAX --info=progress2 /old'
	silent 'rsync -aHAXc'
	run 'echo 3'
	shifted 3
	guide admin-tasks.md Speeds
	echo 5 >/sys/block/md0/md/par/gear
	shifted 5
	run 'cd /sys'
	# shellcheck disable=SC2016  # the document's
	says 'seconds at speed_min' 'echo $(('
	says '^[0-9]+$' 'cat shift_limit'
	run 'echo 102400'
	run 'echo 3 >gear'
	shifted 3
	run 'echo 8192'
	cd /
	guide admin-tasks.md 'Moving data in and out'
	run 'rsync -aHAX --info=progress2 /srv'
	diff -r --exclude=lost+found /old /new || fail "the moved files differ from the original ones"
	guide admin-tasks.md 'Letting all disks sleep'
	run 'umount'
	run 'for d in'
	guide admin-tasks.md 'What keeps an array out of its low gear'
	MAY=2 run 'blkid /dev/sde'
}

leaving() {
	mdadm --assemble --quiet /dev/md0 /dev/sd[a-e]
	mount /dev/md0 /srv
	guide admin-tasks.md 'Moving data in and out'
	run 'umount'
	guide admin-tasks.md 'Removing raid-par'
	mdadm --assemble --quiet /dev/md0 /dev/sd[a-e]
	mount /dev/md0 /srv
	run 'umount'
	run 'mdadm --zero-superblock'
	run 'mdadm --create /dev/md1'
	mdadm --stop --quiet /dev/md1
	run 'rm -f /etc/udev'
	run 'rm -f /etc/systemd'
	run 'modprobe -r raid-par'
	rmscsi
}

by_hand() {
	cd "$RAIDPAR_TOP"
	guide README.md 'Trying it by hand'
	run '. tests/machine/lib.sh'
	run mkdisks
	run 'mdadm --create'
	run 'mkfs.ext4'
	run 'cd /sys'
	run 'echo 3'
	run requests
	assert_eq "$(head -n 1 <<<"$OUTPUT")" "$(tail -n 1 <<<"$OUTPUT")" "requests of a sleeper"
	says 'member4/redirected:' 'grep'
	run 'echo 5'
	out /mnt
	end_par
}

# all_was_run: all commands that the list has for this test were run.
all_was_run() {
	local wanted
	wanted=$(sed -n '/^\[machine\/cases\/guide.sh\]$/,/^\[/{/^[[#]/d;/./p}' "$GUIDE/list" | sort -u)
	assert_eq "$(sort -u "$RUN")" "$wanted" "commands that were run, and those of tests/guide/list"
}

mkdir -p "$MACHINE_TMP/bin" /srv /mnt
ln -sf "$RAIDPAR_TOP/build/tools/debug/paradm" "$MACHINE_TMP/bin/paradm"
read_documents
fresh_disks
readme
fresh_disks
creating
shifting
power
watching
mkfs.ext4 -q /dev/md0
mount /dev/md0 /mnt && cp -r "$RAIDPAR_TOP/Documentation" /mnt && umount /mnt
content
failing
stopping
fresh_disks
installing
fresh_disks
moving
leaving
by_hand
all_was_run
