#!/bin/bash
# A member that fails during the rebuild of another one is detached at once, as on md raid6, and not at the end of the rebuild.
# subject: member
. "$(dirname "$0")/../tools/par.sh"

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
