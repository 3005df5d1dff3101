#!/bin/bash
# A resync after a crash is in mdstat as for other levels, mdadm --wait waits for it, and parity is right afterwards.
# subject: sync
# stock: yes
. "$(dirname "$0")/../tools/par.sh"

APART=256	# MiB: a zone of 3,5 with segments of 64 KiB is 128
PLACES=4
ZONES=8		# intents are set for four at once

speed() { echo "$1" >/proc/sys/dev/raid/speed_limit_max; }

# waiting PID: wait until mdadm --wait has read /proc/mdstat and sleeps until it changes.
waiting() {
	local state
	[[ $(readlink "/proc/$1/fd/"*) == */mdstat* ]] || return 1
	read -r _ _ state _ <"/proc/$1/stat"
	[ "$state" = S ]
}

status_now() { MDSTAT=$(</proc/mdstat); }

on_spindles 3,5 1G
for ((i = 0; i < PLACES; i++)); do fill 4 $((i * APART)); done
sum=$(fingerprint 4)
power_cut 5

note "auto-read-only: pending, and nothing is resynced"
echo 1 >/sys/module/md_mod/parameters/start_ro
assemble_par
status_now
assert_match "$MDSTAT" 'auto-read-only' mdstat
assert_match "$MDSTAT" 'resync=PENDING' mdstat
nap 0.5
assert_eq "$(par resync)" "$ZONES" "zones to be resynced"
echo 0 >/sys/module/md_mod/parameters/start_ro

note "writable: it begins, and shows how far it is"
speed 500	# a zone takes half a minute
mdadm --quiet --readwrite "/dev/$MD"
status_now
assert_match "$MDSTAT" 'resync = [0-9]*\.[0-9]%' mdstat
assert_match "$(mdadm --detail "/dev/$MD")" 'resyncing' "mdadm --detail"
assert_eq "$(par resync)" "$ZONES" "zones to be resynced"
mdadm --wait "/dev/$MD" &
until waiting $! || ! kill -0 $! 2>/dev/null; do nap 0.1; done
speed 200000
wait $! || fail "mdadm --wait says there was nothing to wait for"
wait_for "/sys/block/$MD/md/par/resync" none
status_now
assert_eq "$(grep -c resync <<<"$MDSTAT" || true)" 0 "words on a resync in mdstat"
assert_eq "$(fingerprint 4)" "$sum" "content"

note "parity is right after the resync"
no_mismatch

note "no resync after a proper stop"
reassemble_par
assert_eq "$(par resync)" none "zones to be resynced"
end_par
