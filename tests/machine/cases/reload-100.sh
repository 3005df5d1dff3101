#!/bin/bash
# Loading the module, using an array and unloading it, a hundred times, leaves no memory, thread or cache behind.
# subject: life
# rare: yes
# machine: --mem 2G
# timeout: 600
# The kernel has no KASAN, which keeps freed memory for a while, so that it counts as in use.
. "$(dirname "$0")/../tools/par.sh"

ROUNDS=100
USED=('3,5' '2,3,5' 'raid0:2,5' 'raid6:4,5')

KINDS=(vmalloc percpu)
MOST=64	# the allowed difference in KiB: a page lost in each round is 400 KiB

# vmalloc's memory without the stacks of threads, since kworkers come and go, and without freed areas.
vmalloc_kib() { awk '!/kernel_clone|unpurged/ { n += $2 } END { print int(n / 1024) }' /proc/vmallocinfo; }
percpu_kib() { awk '$1 == "Percpu:" { print $2 }' /proc/meminfo; }

threads() { ps -e -o ppid=,comm= | awk '$1 == 2 && $2 !~ /^kworker/ { print $2 }' | sort; }

# Objects in use, by cache, and the number of objects per slab. Only directories are read: reading
# links would create inodes.
objects() {
	find /sys/kernel/slab -mindepth 1 -maxdepth 1 -type d |
		while read -r dir; do echo 1 >"$dir/shrink"; done
	awk 'NR > 2 { print $1, $2, $5 }' /proc/slabinfo | sort
}

# look NAME: record everything that must be the same before and after.
look() {
	local kind
	sync
	for kind in 1 2 3; do
		nap 0.5	# until RCU has freed its objects
		echo 3 >/proc/sys/vm/drop_caches
	done
	threads >"$MACHINE_TMP/threads-$1"
	objects >"$MACHINE_TMP/objects-$1"
	for kind in "${KINDS[@]}"; do declare -g "$1_$kind=$("${kind}_kib")"; done
}

use() {
	fill 2
	shift_to "$(low_gear "$LAYOUT")"
	fill 1 1
	shift_to "$(top_gear "$LAYOUT")"
}

# Every other time the kernel loads the module itself, by the level's alias.
one_round() {
	[ $(($1 % 2)) = 0 ] || modprobe raid-par
	create_par "${USED[$1 % ${#USED[@]}]}" --chunk=64 --destroy-par
	use
	stop_par
	rmmod raid-par
	[ ! -e /sys/module/raid_par ] || fail "the module is still there"
}

rounds() { local i; for ((i = 0; i < $1; i++)); do one_round "$i"; done; }

compare() {
	local kind was is
	for kind in "${KINDS[@]}"; do
		was=before_$kind
		is=after_$kind
		note "$kind: ${!was} KiB before, ${!is} KiB after"
	done
	for kind in "${KINDS[@]}"; do
		was=before_$kind
		is=after_$kind
		assert_le $((${!is} - ${!was})) $MOST "KiB of $kind lost in $ROUNDS rounds"
	done
	diff "$MACHINE_TMP/threads-before" "$MACHINE_TMP/threads-after" || fail "threads"
	diff <(cut -d' ' -f1 "$MACHINE_TMP/objects-before") <(cut -d' ' -f1 "$MACHINE_TMP/objects-after") ||
		fail "slab caches"
}

# Objects that the kernel keeps: md's raid5 gives its stripe cache a new name for each array of
# dm or of par. If slub has merged the cache with another one, the name stays in sysfs as a link
# (kernfs nodes, whose cache can be merged with others of that size). Areas mapped by vmalloc are
# returned late.
NOT_OURS='^(kernfs_node_cache|vm_area_struct|radix_tree_node|vmap_area|kmemleak_object) '

# All objects of the slab that a CPU holds count as in use: a loss of less than one object per
# round is not visible here. kmemleak finds such losses.
compare_objects() {
	join "$MACHINE_TMP/objects-before" "$MACHINE_TMP/objects-after" |
		grep -vE "$NOT_OURS" >"$MACHINE_TMP/objects"
	awk -v most="$((ROUNDS * 8 / 10))" -v cpus="$(nproc)" '
		$4 - $2 > 8 { printf "# %s: %d objects before, %d after\n", $1, $2, $4 }
		$4 - $2 > most + cpus * $3 { bad = 1 }
		END { exit bad }' "$MACHINE_TMP/objects" || fail "objects lost in $ROUNDS rounds"
}

mkdisks 5 24M
rounds 8	# until everything that the kernel keeps exists
look before
rounds $ROUNDS
look after
compare
compare_objects
rmdisks
