#!/bin/bash
# Spindle disks: 16 TiB need little memory, all memory is returned, and the module can be unloaded once all disks are removed.
. "$(dirname "$0")/../tools/par.sh"

available() { awk '/^MemAvailable/ { print $2 }' /proc/meminfo; }

modprobe spindle
before=$(available)
mkspindles 8 16T
assert_eq "$(blockdev --getsize64 "${DEVS[7]}")" $((16 << 40)) "size"
assert_le $((before - $(available))) $((32 << 10)) "KiB for eight empty disks"

note "a write at the end of each; a discard of all"
dd if=/dev/urandom of="$MACHINE_TMP/data" bs=1M count=4 status=none
for dev in "${DEVS[@]}"; do
	dd if="$MACHINE_TMP/data" of="$dev" bs=1M seek=$(((16 << 20) - 4)) oflag=direct conv=notrunc status=none
	dd if="$dev" bs=1M skip=$(((16 << 20) - 4)) iflag=direct status=none | cmp - "$MACHINE_TMP/data"
done
full=$(available)
assert_le $((before - full)) $((96 << 10)) "KiB for 32 MiB of data"
start=$SECONDS
for dev in "${DEVS[@]}"; do
	blkdiscard "$dev"
	dd if=/dev/null of="$dev" conv=fsync,notrunc status=none
done
assert_le $((SECONDS - start)) 20 "seconds to discard 128 TiB"
assert_le $((before - $(available))) $((32 << 10)) "KiB for discarded disks"

note "data beyond a reduced size is dropped"
echo 0 >"$SPINDLES/spin0/online"
echo 16 >"$SPINDLES/spin0/size"
echo 1 >"$SPINDLES/spin0/online"
assert_eq "$(blockdev --getsize64 /dev/spin0)" $((16 << 20)) "size"
dd if="$MACHINE_TMP/data" of=/dev/spin0 bs=1M oflag=direct status=none
echo 0 >"$SPINDLES/spin0/online"
echo 1 >"$SPINDLES/spin0/size"
echo 16 >"$SPINDLES/spin0/size"
echo 1 >"$SPINDLES/spin0/online"
cmp -n $((1 << 20)) /dev/spin0 "$MACHINE_TMP/data"
cmp -n $((15 << 20)) -i $((1 << 20)):0 /dev/spin0 /dev/zero

note "a disk that is removed while in use"
exec {user}</dev/spin1
echo 0 >"$SPINDLES/spin1/online"
refused dd if="/proc/self/fd/$user" of=/dev/null bs=4k count=1
exec {user}<&-

note "the module"
refused rmmod spindle
rmdisks
rmmod spindle
[ ! -d "$SPINDLES" ] || fail "the directory is still there"
modprobe spindle
rmmod spindle
