#!/bin/bash
# A failed member is detached from all sets and from the array in any gear, without a further request; also during the rebuild of another one, as on md raid6, and not at its end.
# subject: member
. "$(dirname "$0")/../tools/par.sh"

# fails_in GEAR MEMBER
fails_in() {
	note "member $2 in gear $1"
	shift_to "$1"
	echo faulty >"/sys/block/$MD/md/dev-${DISKS[$2]}/state"
	detached "$2"
	manage --remove "${DEVS[$2]}"
	put_in "$2"
	settle
}

on_disks 3,5 64M
fill 8
SUM=$(fingerprint 8)
fails_in 5 1
fails_in 3 1
fails_in 3 4
assert_eq "$(fingerprint 8)" "$SUM" "content"
end_par

note "RAID-0: a failed member keeps its place, as requests are still sent to it"
on_disks raid0:2,5 64M
fill 8
SUM=$(fingerprint 8)
echo faulty >"/sys/block/$MD/md/dev-${DISKS[1]}/state" 2>/dev/null || true
wait_for "/sys/block/$MD/md/dev-${DISKS[1]}/state" '*faulty*'
nap 2
refused mdadm --quiet "/dev/$MD" --remove "${DEVS[1]}"
assert_eq "$(<"/sys/block/$MD/md/dev-${DISKS[1]}/slot")" 1 "place of the failed member"
assert_eq "$(fingerprint 8)" "$SUM" "content"
end_par

create() {
	case $1 in
	par) create_par raid6:4,6 --chunk=64 ;;
	raid6) mdadm --create "/dev/$MD" --quiet --run --level=6 --assume-clean --bitmap=none \
		--raid-devices=6 "${DEVS[@]}" ;;
	esac
}

sync_speed() {
	echo "$1" >"/sys/block/$MD/md/sync_speed_max"
	echo "$1" >"/sys/block/$MD/md/sync_speed_min"
}

let_go() {
	note "$1"
	mkspindles 6 64M
	create "$1"
	fill 48
	take_out 1
	mdadm --zero-superblock "${DEVS[1]}"
	sync_speed 200
	manage --add "${DEVS[1]}"
	wait_for "/sys/block/$MD/md/sync_completed" '[1-9]* / *'
	manage --fail "${DEVS[5]}"
	detached 5
	assert_eq "$(<"/sys/block/$MD/md/sync_action")" recover "sync_action during the rebuild"
	manage --remove "${DEVS[5]}"
	sync_speed 1000000
	wait_for "/sys/block/$MD/md/degraded" 1
	mdadm --stop --quiet "/dev/$MD"
	rmdisks
}

let_go raid6
let_go par
