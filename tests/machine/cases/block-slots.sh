#!/bin/bash
# While a metadata block is stored, each member that never sleeps keeps the newest version that it had, even if another one has that version twice.
# subject: crash
# machine: --debug --time-travel
. "$(dirname "$0")/../tools/par.sh"

TIDY=75		# seconds; then the map has been stored, and no intent is left

# Member 0 has been brought up to date: both of its slots have the newest version.
# kept STORES: store the map STORES times before, which decides in which slot the others have the newest version.
kept() {
	local i b new old was
	note "the map is stored $1 times without member 0"
	on_spindles 3,5 32M
	fill 2
	sleep "$TIDY"
	take_out 0
	for ((i = 1; i <= $1; i++)); do
		fill 1 $((2 * i))
		sleep "$TIDY"
	done
	put_in 0
	stop_par
	read -ra was < <("$TOOLS/spoil.py" blocks "${DEVS[1]}")
	assert_eq "$("$TOOLS/spoil.py" blocks "${DEVS[0]}")" "${was[*]}" "newest versions of members 0 and 1"
	assemble_par
	fill 1 $((2 * i))
	sleep "$TIDY"
	stop_par
	for i in 1 2; do	# and no member that sleeps has blocks
		read -ra new < <("$TOOLS/spoil.py" blocks "${DEVS[i]}")
		read -ra old < <("$TOOLS/spoil.py" older "${DEVS[i]}")
		note "member $i: ${was[*]}, now ${new[*]} and ${old[*]}"
		for b in "${!was[@]}"; do
			[ "${new[b]}" = "${was[b]}" ] || assert_le "${was[b]}" "${old[b]}" "member $i, block $b: the version beside ${new[b]}"
		done
	done
	rmdisks
}

kept 1
kept 2
