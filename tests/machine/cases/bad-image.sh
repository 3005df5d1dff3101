#!/bin/bash
# If an image and the blocks to reconstruct it from are unreadable, reads and writes return the right data, and no member is failed.
# subject: data
. "$(dirname "$0")/../tools/par.sh"

MIB=8

# begin LAYOUT: create an array with data. CHUNK is a chunk of the first sleeper, IMAGE the place of its image, PARITY the
# member with the first parity of that image.
begin() {
	local places
	note "$1"
	PARITIES=$(parities "$1")
	LOW=$(low_gear "$1")
	on_spindles "$1" 32M
	put 1M 0 $MIB
	shift_to "$LOW"
	stop_par
	for ((CHUNK = 20; ; CHUNK++)); do
		mapfile -t places < <(dissect --where "$CHUNK")
		[ "${places[0]% *}" != "$LOW" ] || break
	done
	IMAGE=${places[1]}
	PARITY=$(dissect --parity "$LOW" | awk -v at="${IMAGE#* }" '$2 == at { print $1 }')
	assemble_par
	settle
}

# spoil BLOCK: make this block of the image unreadable, and the blocks from which it could be computed.
spoil() {
	local i
	echo "read $((${IMAGE#* } + $1 * 8)) 8" >"$SPINDLES/${DISKS[${IMAGE% *}]}/errors"
	for ((i = 0; i < PARITIES; i++)); do
		echo "read $((${IMAGE#* } + $1 * 8)) 8" >"$SPINDLES/${DISKS[(PARITY + i) % LOW]}/errors"
	done
}

right() { is_right "$1"; all_up "$1"; }

both() {
	note "read, both copies valid"
	spoil 3
	right "both"
	assert_eq "$(par gear)" "$(top_gear "$LAYOUT")" "gear after the home copy was needed"
	shift_to "$LOW"
	note "written, both copies valid"
	put 4096 $((CHUNK * 16 + 3)) 1
	right "both, written"
	shift_to "$LOW"
}

# fresh: write all data again, to the images only, and empty raid5's cache.
fresh() {
	shift_to "$LOW"
	put 1M 0 $MIB
	reassemble_par
	settle
	assert_eq "$(par gear)" "$LOW" gear
	assert_ne "$(par segments_image)" 0 "segments"
}

image() {
	note "read, only the image valid"
	fresh
	spoil 5
	right "image"
	note "written, only the image valid"
	fresh
	spoil 6
	put 512 $((CHUNK * 128 + 49)) 1
	put 4096 $((CHUNK * 16 + 6)) 1
	right "image, written"
	crash 3
	settle
	right "after a power cut"
	reassemble_par
	settle
	right "assembled again"
}

up_and_down() {
	note "up and down"
	shift_to "$(top_gear "$LAYOUT")"
	assert_eq "$(par segments_image)" 0 "segments not propagated"
	right "shifted up"
	no_mismatch
	put 1M 0 $MIB
	shift_to "$LOW"
	assert_eq "$(par shift_last_error)" 0 "error of the shift down"
	right "shifted down"
	stop_par
	dissect
}

for layout in 3,5 raid6:4,6; do
	begin "$layout"
	both
	image
	up_and_down
	rmdisks
done
