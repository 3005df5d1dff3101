#!/bin/bash
# Sectors that cannot be read are corrected wherever they are, as on md raid5, and no member is failed.
# subject: data
# plain: yes
. "$(dirname "$0")/../tools/par.sh"

MIB=12
HOME_AT=()	# by chunk: member and sector of its home copy,
IMAGE_AT=()	# and of its image

# locate CHUNK...: stop the array, and find the places of these chunks.
locate() {
	local chunk places
	stop_par
	for chunk in "$@"; do
		mapfile -t places < <(dissect --where "$chunk")
		HOME_AT[chunk]=${places[0]}
		IMAGE_AT[chunk]=${places[1]:-}
	done
	assemble_par
}

# raid5 does not read blocks that are in its cache: empty the cache.
cold() {
	reassemble_par
	settle
}

# spoil MEMBER SECTOR COUNT: make these sectors unreadable until they are written.
spoil() { echo "read $2 $3" >"$SPINDLES/${DISKS[$1]}/errors"; }

# spoil_at "MEMBER SECTOR" OFFSET COUNT: the same, OFFSET sectors after the beginning of a chunk.
spoil_at() { spoil "${1% *}" $((${1#* } + $2)) "$3"; }

# raid5 corrects unreadable blocks after it has completed the read.
corrected() {
	local name
	all_up "$1"
	for name in "${DISKS[@]}"; do wait_for "$SPINDLES/$name/errors" ""; done
}

begin() {
	local layout=$1
	shift
	on_spindles "$layout" 32M
	put 1M 0 $MIB
	locate "$@"
}

home_copies() {
	note "home copies of members that never sleep, gear $(par gear)"
	cold
	spoil_at "${HOME_AT[1]}" 5 1
	spoil_at "${HOME_AT[10]}" 0 128
	is_right "home copies"
	corrected "home copies"
	cold
	spoil_at "${HOME_AT[1]}" 21 1
	put 512 $((128 + 20)) 1
	is_right "home copy beside a write"
	corrected "home copy beside a write"
}

sleepers_home_copies() {
	note "home copies of sleepers, and parity"
	cold
	spoil_at "${HOME_AT[3]}" 127 1
	spoil_at "${HOME_AT[4]}" 0 128
	is_right "sleepers' home copies"
	corrected "sleepers' home copies"
	cold
	spoil 4 $((${HOME_AT[0]#* } + 7)) 2
	no_mismatch
	corrected "parity"
}

# spoil_images: make one or more sectors of an image of each sleeper unreadable.
spoil_images() {
	spoil_at "${IMAGE_AT[3]}" 64 1
	spoil_at "${IMAGE_AT[4]}" 0 128
}

# images STATE: correct images without waking a member.
images() {
	note "images, state $1"
	cold
	assert_ne "$(par "segments_$1")" 0 "segments"
	watch_sleepers
	spoil_images
	is_right "images, $1"
	corrected "images, $1"
	assert_asleep "correcting images"
	cold
	watch_sleepers
	spoil_at "${IMAGE_AT[3]}" 17 1
	put 512 $((3 * 128 + 16)) 1
	is_right "image beside a write"
	corrected "image beside a write"
	assert_asleep "correcting beside a write"
}

shift_up() {
	note "images while propagating"
	put 64K 0 16
	cold
	spoil_images
	shift_to 5
	assert_eq "$(par segments_image)" 0 "segments not propagated"
	corrected "propagating"
	is_right "propagated"
}

spoil_home() {
	spoil_at "${HOME_AT[3]}" 9 1
	spoil_at "${HOME_AT[4]}" 0 128
	spoil 4 $((${HOME_AT[0]#* } + 120)) 3	# parity
}

shift_down() {
	note "home copies while shifting down"
	put 64K 0 16
	cold
	spoil_home
	shift_to 3
	assert_eq "$(par shift_last_error)" 0 "error of the shift down"
	corrected "shifting down"
	is_right "shifted down"
	shift_to 5
}

# raid5 neither reads nor corrects blocks that are in its cache.
shift_down_at_once() {
	note "home copies that have just been written, while shifting down"
	cold
	put 64K 0 16
	spoil_home
	shift_to 3
	assert_eq "$(par shift_last_error)" 0 "error of the shift down"
	all_up "shifting down at once"
	is_right "shifted down at once"
	shift_to 5
	cold
	is_right "shifted up again"
	no_mismatch
	corrected "shifted up again"
}

# Store every metadata block in both of its slots; the superblock is stored at the stop and at
# the first write after it.
store_all() {
	local i
	for i in 1 2; do
		put 64K 0 16
		shift_to 3
		put 64K 0 16
		shift_to 5
	done
	reassemble_par
	put 64K 0 16
}

# metadata MEMBER GEAR FIRST COUNT: metadata of that member is unreadable at an assembly in GEAR.
metadata() {
	local offset
	note "metadata of member $1, sectors $3 + $4, gear $2"
	offset=$(<"/sys/block/$MD/md/dev-${DISKS[$1]}/offset")
	shift_to "$2"
	put 64K 8 8
	stop_par
	spoil "$1" $((offset + $3)) "$4"
	assemble_par
	assert_eq "$(par gear)" "$2" "gear after assembly"
	is_right "assembled"
	shift_to 5
	all_up "metadata"
	store_all
	corrected "metadata"
	is_right "metadata"
}

# A member that wakes up needs metadata of members that are awake.
metadata_for_waking() {
	local offset
	note "metadata that a waking member needs"
	offset=$(<"/sys/block/$MD/md/dev-${DISKS[0]}/offset")
	shift_to 3
	put 64K 8 8
	spoil 0 $((offset + 128)) 32
	shift_to 5
	all_up "waking"
	store_all
	corrected "waking"
	is_right "waking"
}

# rebuild MEMBER BAD: member BAD has unreadable sectors during the rebuild of MEMBER.
rebuild() {
	local dev=${DEVS[$1]}
	note "$LAYOUT: rebuild of member $1, sectors of member $2"
	mdadm --quiet "/dev/$MD" --fail "$dev" 2>/dev/null
	detached "$1"
	mdadm --quiet "/dev/$MD" --remove "$dev" 2>/dev/null
	mdadm --zero-superblock "$dev"
	put 64K 0 16
	stop_par
	start_without "$1"
	spoil "$2" $((${HOME_AT[0]#* } + 3)) 1
	spoil "$2" $((${HOME_AT[0]#* } + 5 * 128)) 128
	spoil_at "${IMAGE_AT[8]}" 8 1
	mdadm --quiet "/dev/$MD" --add "$dev"
	wait_whole
	is_right "rebuilt"
	no_mismatch
	corrected "rebuilt"
}

begin 3,5 0 1 3 4 10
home_copies
sleepers_home_copies
shift_to 3
home_copies
images both
put 1M 0 $MIB
images image
shift_up
shift_down
shift_down_at_once
metadata_for_waking
for first in "0 16" "128 16" "144 16"; do
	# shellcheck disable=SC2086  # two words
	for gear in 5 3; do metadata 1 "$gear" $first; done
	# shellcheck disable=SC2086
	[ "${first%% *}" != 0 ] || metadata 4 5 $first	# blocks are on members that never sleep
done
metadata 4 3 0 8
metadata 4 3 0 16
end_dissected

begin raid6:4,6 0 8
shift_to 4
shift_to 6
rebuild 1 2
rebuild 5 0
end_dissected
