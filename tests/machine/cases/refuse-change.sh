#!/bin/bash
# A running array refuses unsupported changes and bad values, each with its errno, and is unharmed.
# subject: life
. "$(dirname "$0")/../tools/par.sh"

mkdisks 6 24M
spare=${DEVS[5]}
DEVS=("${DEVS[@]:0:5}")
create_par 3,5
fill 4
reassemble_par	# afterwards the array has nothing to write by itself
sum=$(fingerprint)
before=$(sleepers_stat 0)
cd /sys/block/md0/md

"$TOOLS/refuse.py" write <<'END'
par/gear EINVAL 4
par/gear EINVAL 0
par/gear EINVAL 6
par/gear EINVAL -3
par/gear EINVAL 3,5
par/gear EINVAL low
par/gear EINVAL \n
par/gear EINVAL 99999999999999999999
par/speed_min EINVAL 0
par/speed_min EINVAL fast
par/speed_min EINVAL -1
par/speed_min EINVAL 4294967296
par/speed_max EINVAL 0
par/speed_max EINVAL 1
par/speed_max EINVAL 1.5
par/gears EACCES 3 5
par/shift_state EACCES up
par/member3/asleep EACCES 1
level EINVAL raid5
level EINVAL raid0
layout EBUSY 26
chunk_size EBUSY 131072
raid_disks EINVAL 6
consistency_policy EBUSY ppl
END
assert_eq "$(sleepers_stat 0)" "$before" "requests to the disks"

note "a replacement is not begun"
echo want_replacement >dev-nullb1/state
mdadm --quiet /dev/md0 --add "$spare"
nap 1
assert_match "$(<dev-nullb1/state)" '^in_sync' "the member's state"
assert_match "$(<dev-nullb5/state)" '^spare' "the spare's state"
mdadm --quiet /dev/md0 --remove "$spare"

note "no shift while read-only"
mdadm --quiet --readonly /dev/md0
"$TOOLS/refuse.py" write <<'END'
par/gear EROFS 3
par/speed_min EROFS 100
END
mdadm --quiet --readwrite /dev/md0

cd /
assert_eq "$(fingerprint)" "$sum" "content"
shift_to 3
shift_to 5
assert_eq "$(fingerprint)" "$sum" "content after shifts"
stop_par
mdadm --zero-superblock "${DEVS[@]}"

note "another level does not become par"
mdadm --create /dev/md1 --quiet --run --level=5 --raid-devices=5 --assume-clean --bitmap=none --destroy-par \
	"${DEVS[@]}"
"$TOOLS/refuse.py" write <<'END'
/sys/block/md1/md/level EINVAL par
/sys/block/md1/md/level EINVAL 80
END
mdadm --stop --quiet /dev/md1
rmdisks
