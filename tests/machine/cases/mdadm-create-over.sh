#!/bin/bash
# mdadm creates no array of any level over a par array without --destroy-par; --create --assume-clean restores the par array, data and map.
# plain: yes
. "$(dirname "$0")/../tools/par.sh"

MIB=24	# the part of the array that is written

right() { assert_eq "$(fingerprint $MIB)" "$SUM" "content $1"; }

# create_on DEVICES OPTION...: create on as many devices; create OPTION...: create as the array was created.
create_on() {
	mdadm --create "/dev/$MD" --run --level=par --raid-devices="$1" "${@:2}" "${DEVS[@]:0:$1}" </dev/null
}
create() { create_on "${#DEVS[@]}" --layout="$LAYOUT" --chunk=64 "$@"; }

# not_created WHAT COMMAND...: the command is refused with this message, and writes nothing.
not_created() {
	local what=$1 before
	shift
	before=$(writes_so_far)
	refused "$@"
	assert_match "$REFUSAL" "$what" "mdadm's message"
	assert_eq "$(writes_so_far)" "$before" "sectors written by: $*"
}

# begin LAYOUT [OPTION...]: create an array with data that only the low gear's set, or its log, has.
begin() {
	note "$*"
	mkdisks "$(top_gear "$1")" 64M
	create_par "$@" --chunk=64
	fill 16
	shift_to "$(low_gear "$1")"
	fill 6 8
	SUM=$(fingerprint $MIB)
	UUID=$(uuid_of "${DEVS[0]}")
	LOG=$(par log_size)
	stop_par
}

still_there() {
	assemble_par
	right "$1"
	stop_par
}

brought_back() {
	right "that is back"
	settle	# md's superblock goes to all members: it shifts up
	assert_eq "$(<"/sys/block/$MD/md/degraded")" 0 "members missing"
	assert_eq "$(uuid_of "${DEVS[0]}")" "$UUID" "UUID"
	fill 1 20
	SUM=$(fingerprint $MIB)
	reassemble_par
	right "at the next start"
	shift_to "$(top_gear "$LAYOUT")"
	right "in the top gear"
	shift_to "$(low_gear "$LAYOUT")"
	stop_par
}

HELD='is member 0 of the par array .* a new array would hide all its data'
begin raid6:4,8
create --assume-clean
brought_back
rmdisks

begin 3,5
note "refused"
for option in '' --force --quiet --data-offset=4M --size=20M; do
	not_created "$HELD" create ${option:+"$option"}
done
still_there "after refusals"

note "brought back without md's superblocks"
for dev in "${DEVS[@]}"; do mdadm --zero-superblock "$dev"; done
not_created "$HELD" create
create --assume-clean
brought_back

note "as it was, or not at all"
not_created 'the old array was created with --layout=.*, not raid5:2,5' create_on 5 --assume-clean --layout=2,5
not_created 'the old array was created with --chunk=64, not 128' create_on 5 --assume-clean --chunk=128
not_created 'the old array was created with --size=[0-9]*, not 20480' create_on 5 --assume-clean --size=20M
not_created "the old array was created with --raid-devices=5, not 4" create_on 4 --assume-clean
not_created 'was member 1 of the old array, not 0: name its devices in their order' \
	mdadm --create "/dev/$MD" --run --level=par --assume-clean --raid-devices=5 \
	"${DEVS[1]}" "${DEVS[0]}" "${DEVS[@]:2}"
not_created 'the old array was created with --log-size=none, not 4096K' create --assume-clean --log-size=4M
not_created 'the old array was created with --image-share=100, not 10' create --assume-clean --image-share=10
create --assume-clean --log-size=none --image-share=100
right "with all of it said"
stop_par
create_on 5 --assume-clean
right "with nothing said of it"
end_par

# The size is rounded up to whole chunks: 5056K.
begin 3,5 --log-size=5000K
[ "$LOG" -gt 0 ] || fail "no log"
note "with its log, or not at all"
for size in 4M 5057K 8M; do
	not_created "the old array was created with --log-size=5056K, not $(numfmt --from=iec "$size" --to-unit=1024)K" \
		create --assume-clean --log-size=$size
done
not_created 'the old array was created with --log-size=5056K, not none' create --assume-clean --log-size=none
for size in 5056K 5000K ''; do
	create --assume-clean ${size:+--log-size=$size}
	assert_eq "$(par log_size)" "$LOG" "bytes of the log"
	right "with a log of ${size:-the old size}"
	stop_par
done
create --assume-clean
brought_back
rmdisks

begin 3,5
note "with a new disk in a member's place"
dd if=/dev/zero of="${DEVS[4]}" bs=1M oflag=direct status=none || true
create --assume-clean
wait_whole
right "with a new disk"
stop_par
dissect

note "the kernel refuses it, too, if mdadm has not looked"
"$TOOLS/refuse.py" run "${DEVS[@]}" <<'END'
ctime=1,events=0 EEXIST cannot create: 5 members hold a par array
uuid=1,ctime=1,events=0 EEXIST no data is lost: mdadm --create --assume-clean restores the array
uuid=1,ctime=1 EEXIST cannot start: md's superblocks have been recreated: 5 members hold a par array
uuid=1,ctime=1,resync_offset=2 EEXIST cannot start: md's superblocks have been recreated
uuid=1,ctime=1,resync_offset=3 EEXIST cannot start: md's superblocks have been recreated
END
still_there "after what the kernel has refused"

note "given up"
create --destroy-par
assert_eq "$(fingerprint 2)" "$(head -c 2M /dev/zero | b2sum | cut -d' ' -f1)" "content of a new array"
assert_ne "$(uuid_of "${DEVS[0]}")" "$UUID" "UUID of a new array"
fill 4
SUM=$(fingerprint $MIB)
stop_par
still_there "of the new array"
note "and of the two the new one is brought back"
create --assume-clean
right "of the new array"
end_par

DESTROYED='is member [01] of the par array .* a new array would destroy all its data.*--destroy-par discards it'
create_other() { mdadm --create /dev/md1 --run --bitmap=none "$@" </dev/null; }
other_levels_refused() {
	not_created "$DESTROYED" create_other --level=5 --raid-devices=5 "${DEVS[@]}"
	not_created "$DESTROYED" create_other --level=1 --raid-devices=2 --assume-clean --force \
		"${DEVS[1]}" missing
}

begin 3,5
note "refused, whatever level is asked for"
other_levels_refused
not_created "$DESTROYED" create_other --level=0 --raid-devices=2 --metadata=1.0 "${DEVS[@]:0:2}"
not_created "$DESTROYED" create_other --level=1 --raid-devices=2 --data-offset=variable \
	"${DEVS[0]}:4M" "${DEVS[1]}:8M"
not_created "$DESTROYED" mdadm --create /dev/md/ddf --run --metadata=ddf --raid-devices=5 "${DEVS[@]}"
for dev in "${DEVS[@]}"; do mdadm --zero-superblock "$dev"; done
other_levels_refused
create --assume-clean
right "that is back after refusals"
stop_par

note "given up, which is asked for once"
create_other --destroy-par --level=5 --assume-clean --raid-devices=5 "${DEVS[@]}"
mdadm --stop --quiet /dev/md1
for dev in "${DEVS[@]}"; do mdadm --zero-superblock "$dev"; done
create_other --level=0 --raid-devices=2 "${DEVS[@]:0:2}"
mdadm --stop --quiet /dev/md1
create
assert_eq "$(fingerprint 2)" "$(head -c 2M /dev/zero | b2sum | cut -d' ' -f1)" "content after other levels"
end_par

# anywhere OPTION WRONG...: an array that was created with this option is found if md's superblocks are lost, wherever
# its data begins. It is restored with no option, and not with an option that is WRONG: DIFFERENCE OPTION.
anywhere() {
	local wrong
	begin 3,5 "$1"
	for dev in "${DEVS[@]}"; do mdadm --zero-superblock "$dev"; done
	not_created "$HELD" create
	not_created "$DESTROYED" create_other --level=0 --raid-devices=2 "${DEVS[@]:0:2}"
	for wrong in "${@:2}"; do
		not_created "the old array was created with ${wrong% *}" create --assume-clean "${wrong##* }"
	done
	create --assume-clean
	brought_back
}
anywhere --metadata=1.0 '--metadata=1.0 --metadata=1.2' '--data-offset=0, not 1024 --data-offset=1M'
rmdisks
anywhere --data-offset=10M '--metadata=1.2 or 1.1 --metadata=1.0' '--data-offset=10240, not 4096 --data-offset=4M'

note "the newer one of two"
create --destroy-par --metadata=1.0
fill 4
SUM=$(fingerprint $MIB)
stop_par
for dev in "${DEVS[@]}"; do mdadm --zero-superblock "$dev"; done
create --assume-clean
right "of the newer one"
stop_par

note "both given up"
create_other --destroy-par --level=5 --assume-clean --raid-devices=5 "${DEVS[@]}"
mdadm --stop --quiet /dev/md1
for dev in "${DEVS[@]}"; do mdadm --zero-superblock "$dev"; done
not_created 'these devices have none whose data begins within 256 MiB' create --assume-clean
create_other --level=0 --raid-devices=2 "${DEVS[@]:0:2}"
mdadm --stop --quiet /dev/md1
rmdisks
