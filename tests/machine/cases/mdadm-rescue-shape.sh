#!/bin/bash
# A rescue without any superblock lays the array out as it was, also after a change of the UUID or of all disks.
# plain: yes
# timeout: 1200
. "$(dirname "$0")/../tools/log.sh"

# begin CREATE [ARG...]: an array with data last written in its top gear, and an empty log.
begin() {
	mkdisks 5 48M
	"$@"
	fill 24
	SUM=$(fingerprint 24)
	stop_par
}

# overwrite SECTOR COUNT MEMBER...: zeros, from that sector of the data area on.
overwrite() {
	local at=$1 count=$2 d
	shift 2
	for d in "$@"; do
		dd if=/dev/zero of="${DEVS[d]}" bs=512 seek=$(($(data_offset "${DEVS[d]}") + at)) count="$count" \
			oflag=direct conv=notrunc status=none
	done
}
lose_supers() { overwrite 0 16 0 1 2 3 4; }
lose_births() { overwrite 32 8 "$@"; }

renamed() { mdadm --assemble --quiet --update=uuid "/dev/$MD" "${DEVS[@]}"; }

# replaced: five new disks, one after the other.
replaced() {
	local d
	assemble_par
	mkdisks 5 48M
	for d in 0 1 2 3 4; do
		take_out "$d"
		put_in "$d + 5"
	done
	stop_par
	DEVS=("${DEVS[@]:5}")
	assemble_par
}

# rescued PATTERN: refused, with PATTERN in the kernel log; a rescue logs the same, and data and parity are right then.
rescued() {
	mark_log
	refused mdadm --assemble "/dev/$MD" "${DEVS[@]}"
	logged 'cannot start: no member has valid raid-par metadata'
	logged "$1"
	mark_log
	mdadm --assemble --quiet --update=par-rescue "/dev/$MD" "${DEVS[@]}"
	logged "$1"
	settle
	assert_eq "$(fingerprint 24)" "$SUM" "content after the rescue"
	fill 1 30
	wait_for "/sys/block/$MD/md/par/resync" none 120
	no_mismatch
	assert_eq "$(fingerprint 24)" "$SUM" "content after the first use"
	stop_par
	dissect >/dev/null
}

# lost PATTERN CREATE [ARG...]: the same, once the array has been changed by the function HOW and used.
lost() {
	local pattern=$1
	shift
	note "$HOW: $*"
	begin "$@"
	"$HOW"
	fill 1
	SUM=$(fingerprint 24)
	stop_par
	lose_supers
	rescued "$pattern"
	rmdisks
}

for HOW in renamed replaced; do
	lost 'laid out by the birth records of 5 members: a log of [0-9]+ sectors on each member, images of 100 percent' \
		create_logged 3,5 4 --chunk=64
	lost 'laid out by the birth records of 5 members: a log of 0 sectors on each member, images of 25 percent' \
		create_shared 25 3,5 --chunk=64
done

note "renamed, and not used since: the record has the old UUID; and only one member has it"
begin create_logged 3,5 4 --chunk=64
renamed
stop_par
lose_supers
lose_births 0 2 3 4
rescued 'laid out by the birth records of 1 members, under another UUID: a log of [0-9]+ sectors'
rmdisks

note "an array without a log, on disks that have the record of one with a log"
begin create_logged 3,5 4 --chunk=64
mdadm --zero-superblock "${DEVS[@]}"
create_par 3,5 --chunk=64 --destroy-par
fill 24
SUM=$(fingerprint 24)
stop_par
lose_supers
rescued 'laid out by the birth records of 5 members: a log of 0 sectors'

note "no record is left"
lose_supers
lose_births 0 1 2 3 4
rescued 'no member has a birth record: .* without a write log, with images of everything'

note "records of two shapes"
for d in 0 1; do
	"$TOOLS/birth.py" --log 8192 100 "$(printf '%032d' 7)" "$(data_offset "${DEVS[d]}")" "${DEVS[d]}"
done
lose_supers
lose_births 2 3 4
"$TOOLS/birth.py" --log 16384 100 "$(printf '%032d' 8)" "$(data_offset "${DEVS[2]}")" "${DEVS[2]}"
mark_log
refused mdadm --assemble --update=par-rescue "/dev/$MD" "${DEVS[@]}"
logged 'the birth records of the members differ'
lose_births 2
mdadm --assemble --quiet --update=par-rescue "/dev/$MD" "${DEVS[@]}"
end_par
