#!/bin/bash
# mdadm creates arrays with images of a share; mdadm, sysfs and the disks agree about them, and the limits of a fill are kept.
# subject: slots
# machine: --debug --time-travel
. "$(dirname "$0")/../tools/par.sh"

PLACES=(0 4092 8188)	# MiB: the last two at the end of a tract, with members that have 1 GiB of home region in each

# shown SHARE: by mdadm and by sysfs, with the size of the array. said SHARE [NOT]: the lines of mdadm.
said() {
	local detail examine
	detail=$(mdadm --detail "/dev/$MD"; mdadm --detail --export "/dev/$MD")
	examine=$(mdadm --examine "${DEVS[0]}"; mdadm --examine --export "${DEVS[0]}")
	assert_match "$examine" " Array Size : $(($(array_bytes) >> 10)) KiB" "size in --examine"
	if [ "$1" = none ]; then
		[[ ${detail,,} != *image?share* ]] || fail "--detail of an array with images of everything: $detail"
		[[ ${examine,,} != *image?share* ]] || fail "--examine of an array with images of everything: $examine"
		return
	fi
	assert_match "$detail" " Image Share : $1%.*MD_PAR_IMAGE_SHARE=$1"$'\n' "--detail"
	assert_match "$examine" " Image Share : $1%.*MD_PAR_IMAGE_SHARE=$1"$'\n' "--examine"
}

shown() {
	said "$1"
	assert_eq "$(par image_share)" "$1" "share in sysfs"
	[ "$(par slots)" -gt 0 ] || fail "no slots"
}

write_places() { local at; for at in "${PLACES[@]}"; do fill 8 "$at"; done; }

# places: a checksum of their content.
places() {
	local at
	for at in "${PLACES[@]}"; do
		dd if="/dev/$MD" of="$MACHINE_TMP/piece" bs=1M count=8 skip="$at" iflag=direct status=none
		b2sum <"$MACHINE_TMP/piece"
	done
}

# refused_write FILE VALUE ERROR
refused_write() { refused bash -c "echo '$2' >'$PAR/$1'"; assert_match "$REFUSAL" "$3" "$2 to $1"; }

note "images of everything"
mkdisks 5 3G
create_par 3,5
whole=$(array_bytes)
said none
for file in slots slots_free hot_runs slot_uses slot_hits slot_misses fill_size fill_time; do
	assert_eq "$(par $file)" 0 "$file of an array with images of everything"
done
assert_eq "$(par image_share)$(par slots_by_gear)" 100 "share, hits and misses in sysfs"
mark_log
refused_write fill_size 2097152 'not supported'
refused_write fill_time 60 'not supported'
logged 'was created with images of everything'
stop_par
create_par 3,5 --destroy-par --image-share=100
said none
assert_eq "$(array_bytes)" "$whole" "size of an array with images of 100 %"
stop_par

# In simulated time no second has passed. The kernel must not take the old superblocks for those of the new array, though
# both have the same time of creation.
note "in the same second"
create_par 3,5 --destroy-par --image-share=25
assert_eq "$(par image_share)" 25 "share in sysfs"
stop_par
sleep 2

note "a share of 25 %"
create_par 3,5 --destroy-par --image-share=25
shown 25
assert_le $((whole * 3 / 2)) "$(array_bytes)" "bytes of an array with images of a quarter, at least"
assert_eq "$(par slots)" "$(par slots_free)" "slots of a new array that are free"
assert_eq "$(par fill_size) $(par fill_time)" "$((64 << 30)) 600" "the limits of a new array"
write_places
sum=$(places)
[ "$(par slot_uses)" -gt 0 ] || fail "no run is in use"
[ "$(par hot_runs)" -gt 0 ] || fail "no run is hot"
assert_eq "$(par slot_hits) $(par slot_misses)" "0 0" "hits and misses before any slot was given"

note "a fill of less than a run"
echo $((1 << 20)) >"$PAR/fill_size"
shift_to 3
assert_eq "$(par slots)" "$(par slots_free)" "slots after a fill of nothing that are free"
assert_eq "$(places)" "$sum" "content without images"
settle
assert_eq "$(par gear)" 5 "gear after a miss"
[ "$(par slot_misses)" -gt 0 ] || fail "no miss"
assert_eq "$(par member4/last_wake_cause)" miss "cause of the wake"
assert_eq "$(par slots_by_gear)" "3 0 $(par slot_misses)" "hits and misses in gear 3"
note "$(par slot_uses) uses, $(par slot_misses) misses"

note "a fill of all that is in use"
echo $((1 << 30)) >"$PAR/fill_size"
echo 3600 >"$PAR/fill_time"
shift_to 3
[ "$(par slots_free)" -lt "$(par slots)" ] || fail "no slot is given"
misses=$(par slot_misses)
watch_sleepers
assert_eq "$(places)" "$sum" "content with images"
assert_asleep "runs with slots"
assert_eq "$(par slot_misses)" "$misses" "misses of runs with slots"

note "kept"
reassemble_par
assert_eq "$(par fill_size) $(par fill_time)" "$((1 << 30)) 3600" "the limits after a stop"
shown 25
for value in 0 $(((1 << 20) - 1)) $(((1 << 50) + 1)) x; do refused_write fill_size "$value" 'Invalid argument'; done
for value in 0 86401 x; do refused_write fill_time "$value" 'Invalid argument'; done
assert_eq "$(par fill_size) $(par fill_time)" "$((1 << 30)) 3600" "the limits after refusals"
places >/dev/null
[ "$(par slot_hits)" -gt 0 ] || fail "no hit"
stop_par
dissect

note "restored"
refused create_par 3,5 --assume-clean --image-share=50
assert_match "$REFUSAL" 'the old array was created with --image-share=25, not 50' "mdadm's message"
refused create_par 3,5 --assume-clean --image-share=100
for dev in "${DEVS[@]}"; do mdadm --zero-superblock "$dev"; done
IMAGES='' create_par 3,5 --assume-clean
shown 25
assert_eq "$(places)" "$sum" "content of the restored array"
shift_to 5
assert_eq "$(places)" "$sum" "content in the top gear"
stop_par

note "with a write log"
sleep 2
create_par 3,5 --destroy-par --image-share=10% --log-size=8M
shown 10
assert_match "$(mdadm --examine "${DEVS[0]}")" ' Log Size : 8192 KiB' "--examine"
stop_par
