#!/bin/bash
# Cases in one machine: each finds it as after a start, has a verdict of its own, and the one that spoils it is the last.
# needs: 6.12-debug
set -euo pipefail
. "$(dirname "$0")/lib.sh"

mkdir -p build
RAIDPAR_OUT=$(mktemp -d "$PWD/build/cases.XXXX")
export RAIDPAR_OUT
trap 'rm -rf "$RAIDPAR_OUT"' EXIT

# script NAME LINE...: with the functions of all cases.
script() { printf '%s\n' '#!/bin/bash' 'set -eu' ". $PWD/tests/machine/tools/par.sh" "${@:2}" >"$RAIDPAR_OUT/$1"; chmod +x "$RAIDPAR_OUT/$1"; }

# cases STATUS EVENTS SCRIPT...: the machine's status, and what it says of these scripts.
cases() {
	local want=$1 events=$2
	shift 2
	rm -f "$RAIDPAR_OUT"/events
	run_for "$want" "$MACHINE" --debug --time-travel --cases -- "${@/#/$RAIDPAR_OUT/}"
	[ "$(paste -sd, "$RAIDPAR_OUT/events")" = "$events" ] || fail "events: $(cat "$RAIDPAR_OUT/events" "$RAIDPAR_OUT"/*.log)"
}

# shellcheck disable=SC2016  # for the machine
script dirty 'mkspindles 2 32M; mkdisks 2 32M; echo 1 >/sys/module/md_mod/parameters/start_ro' \
	'echo 4000 >/proc/sys/dev/raid/speed_limit_min; date -s 2031-01-01 >/dev/null; mkdir /sys/kernel/tracing/instances/mine' \
	'echo mine | tee /etc/mine /tmp/mine /run/mine; modprobe raid-par; mknod /dev/md9 b 9 9; mkdir /home/mine' \
	'mkdir /old; mount -t tmpfs none /old; mount --bind /old /home; sleep 1000 & disown; echo said; exit 77'
# shellcheck disable=SC2016  # for the machine
script clean '! ls -d /etc/mine /tmp/mine /run/mine /dev/md9 /old /home/mine /sys/kernel/tracing/instances/mine /.host/*' \
	'[ "$(date +%Y)" = 2030 ]; [ ! -s /proc/modules ]; ! pgrep sleep; ! dmesg | grep -q raid' \
	'[[ $(cat /sys/module/md_mod/parameters/start_ro /proc/sys/dev/raid/speed_limit_min) == $'"'0\n1000'"' ]]' \
	'! ls -d /sys/block/nullb* /sys/block/spin*; mkspindles 3 64M; create_par 2,3; stop_par; touch "$RAIDPAR_OUT/result"'
script array 'mkspindles 3 64M; create_par 2,3'
script fails 'exit 3'
script warns 'modprobe complain; echo warn >/sys/module/complain/parameters/what'
script leaks 'modprobe complain; echo leak >/sys/module/complain/parameters/what'

cases 0 "begin 0,end 0 77,begin 1,end 1 0,begin 2,end 2 0" dirty clean array clean
[ "$(cat "$RAIDPAR_OUT/0.log")" = $'mine\nsaid' ] || fail "output: $(cat "$RAIDPAR_OUT/0.log")"
grep -q 'the case leaves md0' "$RAIDPAR_OUT/2.log" && [ -e "$RAIDPAR_OUT/result" ] || fail "$(cat "$RAIDPAR_OUT"/*.log)"
cases 0 "begin 0,end 0 0,begin 1,end 1 3" clean fails clean
cases 99 "begin 0,end 0 0,begin 1,end 1 99" clean warns clean
says 'a warning on demand'
cases 99 "begin 0,end 0 99" leaks clean
says 'unreferenced object'
echo "clean, and each by itself"
