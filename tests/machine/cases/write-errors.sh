#!/bin/bash
# In the top gear a write to a home copy returns an error: its member fails, sleeper or not, and no data is lost.
# subject: member
# again: --kernel 7.2
. "$(dirname "$0")/../tools/par.sh"

MIB=8

# chunk_of MEMBER: stop the array, and set CHUNK to a chunk whose home copy is on the member, from sector AT on.
chunk_of() {
	local places
	stop_par
	for ((CHUNK = 20; ; CHUNK++)); do
		mapfile -t places < <(dissect --where "$CHUNK")
		[ "${places[0]% *}" != "$1" ] || break
	done
	AT=${places[0]#* }
	assemble_par
	settle
}

# Writes to some sectors in the middle of the chunk return errors; all other writes to the member, also of metadata, succeed.
does_not_take() {
	local member=$1 name=${DISKS[$1]}
	note "$LAYOUT: member $member"
	chunk_of "$member"
	put 64k "$CHUNK" 1
	echo "write $((AT + 16)) 8" >"$SPINDLES/$name/errors"
	put 64k "$CHUNK" 1
	wait_for "/sys/block/$MD/md/degraded" 1
	assert_match "$(</proc/mdstat)" "$name\\[[0-9]+\\]\\(F\\)" "member $member: mdstat"
	is_right "member $member has failed"
	echo clear >"$SPINDLES/$name/errors"
	detached "$member"
	manage --remove "/dev/$name"
	manage --add "/dev/$name"
	wait_whole
	is_right "member $member has been rebuilt"
}

for LAYOUT in 3,5 raid6:4,6; do
	on_spindles "$LAYOUT" 32M
	put 1M 0 $MIB
	does_not_take 0
	does_not_take $(($(top_gear "$LAYOUT") - 1))
	end_dissected
done
