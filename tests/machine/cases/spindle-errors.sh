#!/bin/bash
# Spindle disks: bad sectors fail as often as configured, a write repairs unreadable sectors, and a dead disk can be revived.
. "$(dirname "$0")/../tools/par.sh"

ERRORS=$SPINDLES/spin0/errors

readable() { dd if=/dev/spin0 of=/dev/null bs=512 skip="$1" count=1 iflag=direct status=none; }
writable() { dd if=/dev/zero of=/dev/spin0 bs=512 seek="$1" count=1 oflag=direct status=none; }
listed() { assert_eq "$(cat "$ERRORS")" "$1" "list of errors $2"; }

mkspindles 1 16M
note "reading"
echo "read 100 8" >"$ERRORS"
listed "read 100 8" "of one"
for sector in 100 107; do refused readable "$sector"; done
assert_match "$REFUSAL" 'No data available' "a medium error"
for sector in 99 108; do readable "$sector"; done
writable 103
readable 103
listed $'read 100 3\nread 104 4' "with a repaired sector inside"
for sector in 100 102 104 107; do writable "$sector"; done
listed $'read 101 1\nread 105 2' "with others repaired"
dd if=/dev/zero of=/dev/spin0 bs=4k seek=12 count=2 oflag=direct status=none
listed "" "with all repaired"

note "writing, and anything"
printf 'write 8 1\n' >"$ERRORS"
echo "any 16 1" >"$ERRORS"
readable 8
refused writable 8
for _ in 1 2; do refused writable 16; refused readable 16; done
listed $'write 8 1\nany 16 1' "that writes do not repair"
echo "weak 24 1" >"$ERRORS"
writable 24
refused readable 24
listed $'write 8 1\nany 16 1\nweak 24 1' "with a sector that takes writes"
echo clear >"$ERRORS"
echo "path 32 1" >"$ERRORS"
writable 32
refused readable 32
assert_match "$REFUSAL" 'Input/output error' "an error that is not the medium's"
listed "path 32 1" "with a sector that is not to be reached"
echo clear >"$ERRORS"
listed "" "cleared"
writable 8
readable 16

note "a number of times"
echo "read 0 16 3" >"$ERRORS"
for sector in 0 15 0; do refused readable "$sector"; done
readable 0
listed "" "used up"
echo "any 0 1 2" >"$ERRORS"
refused writable 0
listed "any 0 1 1" "half used up"
refused readable 0
writable 0

note "only that part of merged requests returns an error"
echo "read 64 1" >"$ERRORS"
read -r _ merges _ </sys/block/spin0/stat
fio --name=merge --filename=/dev/spin0 --rw=read --bs=4k --size=128k --direct=1 --ioengine=libaio \
	--iodepth=32 --iodepth_batch_submit=32 --continue_on_error=all --output-format=json \
	--output="$MACHINE_TMP/fio" || true
read -r _ merged _ </sys/block/spin0/stat
assert_le 8 $((merged - merges)) "merged requests"
assert_eq "$(jq .jobs[0].read.io_bytes "$MACHINE_TMP/fio")" $((31 * 4096)) "bytes read of merged requests"
echo clear >"$ERRORS"

note "bad sectors and data survive online and offline"
"$TOOLS/sectors.py" write /dev/spin0 kept
echo "read 9000 1 1" >"$ERRORS"
echo 0 >"$SPINDLES/spin0/online"
[ ! -b /dev/spin0 ] || fail "offline and still there"
echo 1 >"$SPINDLES/spin0/online"
listed "read 9000 1 1" "after online"
echo clear >"$ERRORS"
assert_eq "$("$TOOLS/sectors.py" census /dev/spin0 | tr ' \n' ': ')" "kept:32768 mixed:0 " "content"

note "dead"
"$TOOLS/sectors.py" write /dev/spin0 cached 0 64
echo 1 >"$SPINDLES/spin0/dead"
refused readable 0
refused writable 0
echo 0 >"$SPINDLES/spin0/dead"
assert_eq "$("$TOOLS/sectors.py" census /dev/spin0 0 64 | head -n 1)" "cached 64" "its cache"
rmdisks
