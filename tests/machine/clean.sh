# shellcheck shell=bash
# What tests/machine/init does between two cases in one machine, so that the second finds it as after
# a start. Files need nothing: each case has an overlay of its own. To be sourced.

# pm_test marks the value in use by brackets.
clean_value() {
	read -r GOT 2>/dev/null <"$1" || return
	[[ $GOT != *"["* ]] || { GOT=${GOT#*[}; GOT=${GOT%%]*}; }
}

# remember_state: to be called once, before the first case. It keeps the values that cases change.
remember_state() {
	local file up kept=(/sys/module/{md_mod,raid456,dm_mod}/parameters/* /proc/sys/dev/raid/*
		/proc/sys/vm/min_free_kbytes /proc/sys/kernel/printk_devkmsg /sys/kernel/rcu_expedited /sys/power/pm_test)
	declare -gA STATE=() MODULES_AT_START=()
	for file in "${kept[@]}"; do
		[ -w "$file" ] && clean_value "$file" && STATE[$file]=$GOT
	done
	while read -r file _; do MODULES_AT_START[$file]=1; done </proc/modules
	read -r up _ </proc/uptime
	CASES_BEGAN=${up%.*}
	BOOT_TIME=$((EPOCHSECONDS - CASES_BEGAN))
}

clean_state() {
	local file
	for file in "${!STATE[@]}"; do
		clean_value "$file"
		[ "$GOT" = "${STATE[$file]}" ] || echo "${STATE[$file]}" >"$file"
	done
}

# Simulated time begins anew, real time goes on.
clean_clock() {
	local up
	read -r up _ </proc/uptime
	up=${up%.*}
	[ -z "$TIME_TRAVEL" ] || up=$CASES_BEGAN
	date -s "@$((BOOT_TIME + up))" >/dev/null
}

clean_tracing() {
	local dir
	for dir in /sys/kernel/tracing/instances/*/; do [ ! -d "$dir" ] || rmdir "$dir"; done
	echo >/sys/kernel/tracing/set_event
}

clean_disks() {
	local dir dirs=()
	for dir in /sys/kernel/config/nullb/*/; do
		[ ! -d "$dir" ] || { dirs+=("$dir"); echo 0 >"${dir}power"; }
	done
	for dir in /sys/kernel/config/spindle/*/; do [ ! -d "$dir" ] || dirs+=("$dir"); done
	[ "${#dirs[@]}" = 0 ] || rmdir "${dirs[@]}"
}

# The newest module is the first in the list.
clean_modules() {
	local name names=()
	while read -r name _; do [ -n "${MODULES_AT_START[$name]:-}" ] || names+=("$name"); done </proc/modules
	[ "${#names[@]}" = 0 ] || rmmod "${names[@]}"
}

# md removes a stopped array a moment later.
no_array_left() {
	local array left tries
	for ((tries = 0; tries < 50; tries++)); do
		left=
		for array in /sys/block/{md,dm-}*; do [ ! -e "$array" ] || left+=" ${array##*/}"; done
		[ -n "$left" ] || return 0
		sleep 0.1
	done
	echo "the case leaves$left: its machine ends"
	return 1
}

# clean_up: undo what a case has left. Status 1 if something stays, as does an array, which nothing stops here.
clean_up() {
	local rc=0
	kill -s KILL -- -1 2>/dev/null
	wait
	no_array_left && clean_disks || rc=1
	find_leaks
	[ "$rc" = 0 ] && clean_modules || return
	clean_tracing
	clean_state
	clean_clock
	rm -rf /dev/md /dev/md[0-9]*
}
