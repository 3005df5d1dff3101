#!/bin/bash
# Without --image-share, mdadm gives an array of large disks images of 10 %, says so, and small ones images of everything; such an array shifts, serves and is kept.
# subject: slots
# machine: --mem 2G
# needs: mdadm-4.4? mdadm-4.6?
# timeout: 400
# RAIDPAR_WHOLE=1: with both versions of mdadm, whose patches differ in context lines only.
. "$(dirname "$0")/../tools/par.sh"

IMAGES=	# as users get them
TOLD='mdadm: image share defaults to 10%: a read of other data starts the devices that sleep'
TOLD_ALL='mdadm: image share defaults to 100%: without a log a write of other data would start the devices that sleep, too'

# created [OPTION...]: create an array as a user does, without --quiet; SAID: mdadm's messages.
created() {
	LAYOUT=3,5
	SAID=$(mdadm --create "/dev/$MD" --run --level=par --layout=$LAYOUT --raid-devices=5 "$@" "${DEVS[@]}" 2>&1 </dev/null)
}

# told LINES: mdadm's line about the default is among its messages so many times.
told() { assert_eq "$(grep -c -x -F "$TOLD" <<<"$SAID" || true)" "$1" "lines about the default share in: $SAID"; }

# has SHARE: sysfs, --detail and --examine, and --export of both, have this share.
has() {
	local shown
	assert_eq "$(par image_share)" "$1" "share in sysfs"
	shown=$(mdadm --detail "/dev/$MD"; mdadm --detail --export "/dev/$MD"
		mdadm --examine "${DEVS[0]}"; mdadm --examine --export "${DEVS[0]}")
	if [ "$1" = 100 ]; then
		[[ ${shown,,} != *image?share* ]] || fail "mdadm shows a share of an array with images of everything: $shown"
		return
	fi
	assert_eq "$(grep -c "Image Share : $1%" <<<"$shown") $(grep -c "MD_PAR_IMAGE_SHARE=$1\$" <<<"$shown")" "2 2" \
		"lines of mdadm with the share"
}

# defaults SIZE SHARE LINES [OPTION...]: an array of such disks has this share, also when it has been stopped.
defaults() {
	note "disks of $1${4:+, ${*:4}}"
	mkdisks 5 "$1"
	created "${@:4}"
	told "$3"
	has "$2"
	LOG_BYTES=$(par log_size)
	reassemble_par
	has "$2"
	assert_eq "$(par log_size)" "$LOG_BYTES" "bytes of the log when the array has been stopped"
	end_par
}

# lives: an array with the defaults shifts down, serves what is in use without the sleepers, and the rest by a miss.
lives() {
	local mib misses
	mkdisks 5 16T
	created
	has 10
	mib=$(array_mib)
	# Of four members' 16 TiB, as a tenth of two members has images on three, two of which are data; less a thousandth for
	# the log, the metadata and mdadm's offset.
	assert_le "$mib" $(((64 << 20) * 10 / 11)) "MiB of the array, at most"
	assert_le $(((64 << 20) * 9990 / 11000)) "$mib" "MiB of the array, at least"
	assert_eq "$(par log_size)" "$(ring_bytes 8192)" "bytes of the log"
	put_file used 0
	put_file used_too $((mib / 2))
	put_file cold $((mib - 64))
	# With a log only reads are uses. What was used in the last life of the array is not known any more.
	reassemble_par
	same_file used 0 "in the top gear"
	same_file used_too $((mib / 2)) "in the top gear"
	shift_to 3
	[ "$(par slots_free)" -lt "$(par slots)" ] || fail "no slot is given"
	misses=$(par slot_misses)
	watch_sleepers
	same_file used 0 "in the low gear"
	same_file used_too $((mib / 2)) "in the low gear"
	put_file used 0
	same_file used 0 "written in the low gear"
	put_file new $((mib / 4))
	same_file new $((mib / 4)) "first written in the low gear"
	assert_asleep "of data in use"
	assert_eq "$(par slot_misses)" "$misses" "misses of data in use"
	reassemble_par
	assert_eq "$(par gear)" 3 "gear after a stop"
	has 10
	watch_sleepers	# mdadm has read their superblocks
	same_file used 0 "after a stop"
	same_file used_too $((mib / 2)) "after a stop"
	same_file new $((mib / 4)) "first written in the low gear, after a stop"
	assert_asleep "of data in use, after a stop"
	same_file cold $((mib - 64)) "by a miss"
	settle
	assert_eq "$(par gear)" 5 "gear after a miss"
	assert_eq "$(par member4/last_wake_cause)" miss "cause of the wake"
	[ "$(par slot_misses)" -gt 0 ] || fail "no miss"
	for at in "used 0" "used_too $((mib / 2))" "cold $((mib - 64))" "new $((mib / 4))"; do
		# shellcheck disable=SC2086
		same_file $at "at the end"
	done
	stop_par
	[ "$(dissect --geometry | wc -l)" -gt 0 ]

	note "restored, with the share that it has"
	for dev in "${DEVS[@]}"; do mdadm --zero-superblock "$dev"; done
	created --assume-clean
	told 0
	has 10
	same_file cold $((mib - 64)) "restored"
	stop_par
	note "restored, an array with images of everything"
	created --destroy-par --image-share=100
	told 0
	has 100
	put_file all 0
	stop_par
	for dev in "${DEVS[@]}"; do mdadm --zero-superblock "$dev"; done
	created --assume-clean
	told 0
	has 100
	same_file all 0 "restored"
	end_par
}

all() {
	defaults 63G 100 0
	assert_eq "$LOG_BYTES" "$(ring_bytes 0)" "bytes of the log"
	defaults 66G 10 1	# mdadm keeps some 130 MiB in front of the data
	assert_eq "$LOG_BYTES" "$(ring_bytes 65)" "bytes of the log"
	defaults 66G 100 0 --image-share=100
	defaults 66G 25 0 --image-share=25
	defaults 66G 100 0 --log-size=none
	assert_match "$SAID" "$TOLD_ALL" "messages about an array without a log"
	defaults 66G 10 0 --log-size=none --image-share=10
	defaults 63G 100 0 --log-size=8M
	defaults 66G 10 1 --log-size=8M
	defaults 66G 10 0 --quiet
	lives
}

with_mdadms all 4.4 4.6
