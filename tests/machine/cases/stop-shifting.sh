#!/bin/bash
# An array stopped at any moment of a shift assembles in its old or its new gear, with all its data.
# subject: shift
# stock: yes
# RAIDPAR_WHOLE=1: three gears too.
. "$(dirname "$0")/../tools/par.sh"

# speed KIB: let shifts copy KIB per second, whether the array is used or not.
speed() {
	echo 512 >"/sys/block/$MD/md/par/speed_min"
	echo "$1" >"/sys/block/$MD/md/par/speed_max"
	echo "$1" >"/sys/block/$MD/md/par/speed_min"
}

# With propagation limited to 8 MiB/s, a shift of some MiB takes long enough to be stopped while it is under way. With
# 512 KiB/s it does even on a busy host.
stop_at() {
	local from=$1 to=$2 after=$3
	[ "$after" != begun ] || speed 512
	echo "$to" >"/sys/block/$MD/md/par/gear"
	if [ "$after" = begun ]; then
		wait_for "/sys/block/$MD/md/par/shift_state" '[dp]*'
		speed 8192
	else
		nap "${after%s}"
	fi
	get shift_state
	CAUGHT[$GOT]=$((${CAUGHT[$GOT]:-0} + 1))
	stop_par
	dissect >"$MACHINE_TMP/dissected" || fail "$LAYOUT: $from to $to, stopped after $after"
	assemble_par
	get gear
	[ "$GOT" = "$from" ] || [ "$GOT" = "$to" ] || fail "gear $GOT after a stop between $from and $to"
	assert_eq "$(fingerprint)" "$SUM" "$LAYOUT: stopped after $after between $from and $to"
}

work() {
	local low top after
	low=$(low_gear "$LAYOUT")
	top=$(top_gear "$LAYOUT")
	speed 8192
	for after in 0.01s 0.1s 0.2s 0.4s begun; do
		shift_to "$top"
		fill 8
		SUM=$(fingerprint)
		stop_at "$top" "$low" "$after"
		shift_to "$low"
		fill 8
		SUM=$(fingerprint)
		stop_at "$low" "$top" "$after"
	done
	settle
	assert_eq "$(fingerprint)" "$SUM" "$LAYOUT: in the end"
}

declare -A CAUGHT=()
LAYOUTS=('3,5' 'raid0:2,5')
[ -z "${RAIDPAR_WHOLE:-}" ] || LAYOUTS+=('3,5,8')
for layout in "${LAYOUTS[@]}"; do with_par "$layout" 24M work --chunk=64; done
note "stopped while: ${!CAUGHT[*]} (${CAUGHT[*]} times)"
assert_match " ${!CAUGHT[*]} " ' down ' "never met a shift down"
assert_match " ${!CAUGHT[*]} " ' propagate ' "never met propagation"
