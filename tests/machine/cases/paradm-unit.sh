#!/bin/bash
# The unit of paradm daemon under systemd: ready, reload, watchdog and a clean stop at any time, and the daemon does all its work within the unit's restrictions.
# rare: yes
# needs: paradm
# machine: --kernel stock-6.12
# timeout: 900
# systemd is that of the machine's Debian, process 1 of a namespace. It has only paradm's unit and the targets that
# this unit needs: the other units of a system would take minutes to start.
. "$(dirname "$0")/../tools/paradm-daemon.sh"

UNITS=/run/raidpar/units
CONFIG=/etc/paradm/daemon.toml
TEXTFILE=/var/lib/node_exporter/raidpar.prom
SEEN=/var/spool/seen	# the calls of the stand-in programs

inside() { nsenter --target "$SYSTEMD" --pid --mount -- "$@"; }
ctl() { inside systemctl --no-ask-password --no-pager "$@"; }
shown() { ctl show --value --property="$1" paradm; }

# wait_shown PROPERTY PATTERN SECONDS
wait_shown() {
	local i got
	for ((i = 0; i < $3 * 2; i++)); do
		got=$(shown "$1")
		# shellcheck disable=SC2053  # a pattern
		[[ $got != $2 ]] || return 0
		nap 0.5
	done
	fail "$1 of the unit: still '$got' after $3 s, want '$2': $(ctl status paradm 2>&1; cat "$SAID_BY_DAEMON"; dmesg | tail -n 20)"
}

# wait_seen PATTERN WHAT: wait for up to two minutes, which is longer than a mail is delayed.
wait_seen() {
	until_ok 120 grep -qE "$1" "$SEEN" 2>/dev/null || fail "$2: $(cat "$SEEN" "$SAID_BY_DAEMON" 2>&1; dmesg | tail -n 20)"
}

# answer PORT: print the first line of the answer and the number of gears in it, or nothing.
answer() {
	/usr/bin/python3 - "$1" <<-'END' || true
		import sys, urllib.request
		answer = urllib.request.urlopen(f"http://127.0.0.1:{sys.argv[1]}/metrics", timeout=20)
		print(answer.status, sum(line.startswith(b"raidpar_array_gear{") for line in answer))
	END
}

configure() { printf '%s\n' "$@" >"$CONFIG"; }

# stand_in NAME <<TEXT: install a program in place of one that the daemon runs.
stand_in() {
	{ printf '#!/bin/bash\nset -eu\n'; cat; } >"/usr/local/sbin/$1"
	chmod 755 "/usr/local/sbin/$1"
}

make_programs() {
	# It opens the disk as hdparm does, and has the capabilities that libata requires (bits 17 and 21 of CapEff).
	stand_in hdparm <<-END
		[ "\$1" = -y ]
		exec 5<"\$2"
		caps=\$((16#\$(sed -n 's/^CapEff:\\s*//p' /proc/self/status)))
		[ \$((caps >> 17 & caps >> 21 & 1)) = 1 ]
		echo "hdparm \$2" >>$SEEN
	END
	# Like Exim: it changes to the user of the mail, writes a line to the log, and gives a mailbox to its owner.
	stand_in sendmail <<-END
		[ "\$*" = "-t -oi" ]
		setpriv --reuid=mail --regid=mail --clear-groups sh -c 'cat >/var/spool/exim4/input/mail'
		echo delivered >>/var/log/exim4/mainlog
		cp /var/spool/exim4/input/mail /var/mail/root
		chown mail:mail /var/mail/root
		echo "mail \$(sed '1,/^\$/d' /var/mail/root | grep -c 'is in gear')" >>$SEEN
	END
	stand_in hook <<-END
		echo "hook \$1 \$2 \$(grep -c '"kind":"'"\$1"'"')" >>$SEEN
		[ ! -e $SEEN.slow ] || sleep 5
	END
	mkdir -p /var/spool/exim4/input /var/log/exim4 /var/mail "${TEXTFILE%/*}"
	chown mail:mail /var/spool/exim4/input
}

make_units() {
	local target
	make -s -C "$RAIDPAR_TOP" install-extras
	install -m 755 "$PARADM" /usr/local/sbin/paradm
	mkdir -p "$UNITS"
	for target in sysinit basic shutdown local-fs multi-user; do
		printf '[Unit]\nDescription=%s\nDefaultDependencies=no\n' "$target" >"$UNITS/$target.target"
	done
	# This machine has no journal.
	printf '[Manager]\nLogTarget=kmsg\n' >/etc/systemd/system.conf
	mkdir -p /etc/systemd/system/paradm.service.d
	printf '[Service]\nStandardOutput=null\nStandardError=append:%s\n' "$SAID_BY_DAEMON" \
		>/etc/systemd/system/paradm.service.d/said.conf
}

start_systemd() {
	local i
	mount -t cgroup2 cgroup2 /sys/fs/cgroup
	SYSTEMD_UNIT_PATH=/etc/systemd/system:$UNITS container=raidpar unshare --pid --fork --kill-child --mount-proc \
		/usr/lib/systemd/systemd --system --unit=multi-user.target >"$MACHINE_TMP/systemd.log" 2>&1 &
	for ((i = 0; i < 240; i++)); do
		SYSTEMD=$(pgrep -P $! || true)
		[ -z "$SYSTEMD" ] || [[ $(ctl is-system-running 2>/dev/null) != running ]] || return 0
		nap 0.5
	done
	fail "systemd does not begin: $(cat "$MACHINE_TMP/systemd.log"; dmesg | tail -n 20)"
}

# stop_after SECONDS: stop the unit SECONDS after its start is requested. No unit has failed, and the history is intact.
stop_after() {
	ctl start --no-block paradm
	nap "$1"
	ctl stop paradm
	assert_eq "$(shown ActiveState) $(shown Result)" "inactive success" "the unit, stopped after $1 s: $(dmesg | tail -n 20)"
	[ ! -e "$DATABASE" ] || assert_eq "$(query "PRAGMA integrity_check")" ok "the history, stopped after $1 s"
}

ip link set lo up
make_programs
make_units

note "the unit as systemd-analyze sees it"
said=$(systemd-analyze verify --man=no /etc/systemd/system/paradm.service 2>&1) || fail "verify: $said"
[[ $said != *paradm.service* ]] || fail "verify: $said"

on_disks 3,5 48M
fill 16
configure 'listen = "127.0.0.1:9110"' "textfile = \"$TEXTFILE\"" 'hook = "/usr/local/sbin/hook"' 'mail = "root"' \
	'mail_events = ["shift"]' '[standby]' '"/dev/nullb3" = "hdparm"' '"/dev/nullb4" = "hdparm"'
start_systemd

note "systemd waits until the daemon is ready"
ctl start paradm
assert_eq "$(shown ActiveState) $(shown SubState) $(shown StatusText)" "active running Watching par arrays" "the unit"
assert_eq "$(answer 9110)" "200 1" "metrics"

note "hook, mail, hdparm, the textfile and pins work within the unit's restrictions"
echo 1 >"/sys/block/$MD/md/par/stop_after"
says '' shift 3
wait_seen "^hook shift $MD 1" "the hook"
wait_seen '^hdparm /dev/nullb3' "a disk without runtime PM"
wait_seen '^hdparm /dev/nullb4' "a disk without runtime PM"
wait_seen '^mail 1' "the mail"
assert_match "$(stat -c %U /var/mail/root) $(tail -n 1 /var/log/exim4/mainlog)" '^mail delivered' "the mailbox and the log"
says '' pin set 5 --for 1s
for ((i = 0; i < 240; i++)); do [ "$(limits)" != "3 5" ] || break; nap 0.5; done
assert_eq "$(limits)" "3 5" "limits after the pin"
assert_match "$(cat "$TEXTFILE")" 'raidpar_array_gear' "the textfile"

note "a reload takes the new configuration, and keeps the old one if the new one is wrong"
pid=$(shown MainPID)
configure 'listen = "127.0.0.1:9111"'
ctl reload paradm
for ((i = 0; i < 60; i++)); do [ -z "$(answer 9111)" ] || break; nap 0.5; done
assert_eq "$(answer 9111) $(answer 9110)" "200 1 " "metrics, on the new port only"
configure 'lissen = 1'
ctl reload paradm
nap 2
assert_eq "$(shown ActiveState) $(shown MainPID) $(answer 9111)" "active $pid 200 1" "after a wrong configuration"
assert_match "$(cat "$SAID_BY_DAEMON")" 'the configuration stays as it was: .*lissen' "the daemon's messages"

note "a daemon that hangs or is killed is started again"
configure 'listen = "127.0.0.1:9110"'
ctl stop paradm
assert_eq "$(shown ActiveState) $(shown Result) $(shown ExecMainStatus)" "inactive success 0" "the stopped unit"
printf '[Service]\nWatchdogSec=15\nRestartSec=1\n' >/etc/systemd/system/paradm.service.d/fast.conf
ctl daemon-reload
ctl start paradm
nap 35
assert_eq "$(shown NRestarts) $(shown ActiveState)" "0 active" "after the time of two watchdogs"
ctl kill --signal=STOP --kill-whom=main paradm
wait_shown NRestarts 1 120
wait_shown ActiveState active 60
ctl kill --signal=KILL --kill-whom=main paradm
wait_shown NRestarts 2 60
wait_shown ActiveState active 60
ctl stop paradm

note "one whose configuration is wrong is not"
configure 'lissen = 1'
! ctl start paradm || fail "the unit starts with a wrong configuration"
nap 3
assert_eq "$(shown ActiveState) $(shown NRestarts) $(shown ExecMainStatus)" "failed 0 2" "the unit"
ctl reset-failed paradm
configure 'hook = "/usr/local/sbin/hook"'

note "the daemon stops cleanly at any time"
for after in 0 0.02 0.05 0.1 0.15 0.2 0.3 0.4 0.6 0.8 1.2 2; do stop_after "$after"; done
ctl start paradm
touch "$SEEN.slow"
: >"$SEEN"
says '' shift 5
says '' shift 3
wait_seen '^hook' "the hook that takes long"
ctl stop paradm
assert_eq "$(shown ActiveState) $(shown Result) $(shown ExecMainStatus)" "inactive success 0" "stopped while a hook runs"
assert_eq "$(query "SELECT count(*) > 1 FROM event WHERE kind = 'shift'")" 1 "shifts in the history"
! ls /run/paradm 2>/dev/null || fail "files are left in /run/paradm"
kill -KILL "$SYSTEMD"
stop_par
