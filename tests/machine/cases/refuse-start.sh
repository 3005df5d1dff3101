#!/bin/bash
# The kernel refuses a superblock that it cannot run, each with its errno and message, and writes nothing.
# subject: life
. "$(dirname "$0")/../tools/par.sh"

mkdisks 5 24M
create_par 3,5
stop_par

# Each line is one superblock: the change, and the expected result.
"$TOOLS/refuse.py" run "${DEVS[@]}" <<'END'
layout=0x10 EINVAL needs at least two gears
layout=0 EINVAL needs at least two gears
layout=0xfffe EBADR means unset to mdadm
layout=0x30000014 EPROTO unknown RAID level
layout=0x80000014 EPROTO unknown RAID level
layout=0x24 EDOM largest gear must be the number of raid devices
layout=0x0c EDOM largest gear must be the number of raid devices
layout=0x11 ERANGE lowest gear is too small
layout=0x10000014 ERANGE lowest gear is too small
chunk=64 ECHRNG chunk must be a power of two
chunk=384 ECHRNG chunk must be a power of two
chunk=0 ECHRNG chunk must be a power of two
size=1024 ENOSPC too small
feature_map=1,bitmap_offset=8 OK the one in md's superblocks is dropped
feature_map=0x200 EMEDIUMTYPE journal or PPL
feature_map=0x800 EMEDIUMTYPE journal or PPL
feature_map=4,reshape_position=1024,new_level=80,new_layout=0x14,new_chunk=1024 EINVAL
feature_map@0=0x10 EMEDIUMTYPE is a replacement
layout=0x1a EUCLEAN for another layout, chunk or size
size=20480 EUCLEAN for another layout, chunk or size
resync_offset=0 OK raid level 5 active
END

note "and the array is unharmed"
assemble_par
assert_eq "$(par gears)" "3 5" "gears"
end_par
