#!/bin/bash
# Spindle disks: a trap cuts all disks with the write that it names, before any later request has an effect.
set -euo pipefail
. "$(dirname "$0")/../lib.sh"

TRAP=$SPINDLES/trap

block_at() { dd if="$1" bs=4k count=1 skip="$2" iflag=direct status=none | tr -d '\0' | head -c 4; }
write_at() { printf '%-4096s' "$3" | dd of="$1" bs=4k count=1 seek="$2" oflag=direct,dsync conv=notrunc status=none; }

mkspindles 3 64M cache=0 delay_us=2000
refused sh -c "echo 1 2 9 8 >$TRAP"
refused sh -c "echo 1 2 >$TRAP"
refused sh -c "echo 1 x 0 9 >$TRAP"
assert_eq "$(cat "$TRAP")" 0 "no trap is set"

# The third write to sectors 64 to 127, whichever disk it goes to.
echo 7 3 64 127 >"$TRAP"
write_at "${DEVS[0]}" 1 aaaa
write_at "${DEVS[0]}" 8 bbbb
write_at "${DEVS[1]}" 15 cccc
write_at "${DEVS[1]}" 16 dddd
assert_eq "$(cat "$TRAP")" 1 "writes until the trap is triggered"
write_at "${DEVS[2]}" 9 eeee || true
for name in "${DISKS[@]}"; do wait_for "$SPINDLES/$name/power" 0 5; done
refused write_at "${DEVS[0]}" 2 ffff
assert_eq "$(cat "$TRAP")" 0 "writes left after the trap was triggered"

echo all >"$SPINDLES/restore"
assert_eq "$(block_at "${DEVS[0]}" 1)" aaaa "before the first sector"
assert_eq "$(block_at "${DEVS[0]}" 8)" bbbb "the first one"
assert_eq "$(block_at "${DEVS[1]}" 15)" cccc "the second one"
assert_eq "$(block_at "${DEVS[1]}" 16)" dddd "behind the last sector"
assert_eq "$(block_at "${DEVS[2]}" 9)" eeee "the write that triggered the trap"
assert_eq "$(block_at "${DEVS[0]}" 2)" "" "after the cut"

# A cut removes a trap that has not been triggered. Another one may be set.
echo 7 1 0 7 >"$TRAP"
echo 1 >"$SPINDLES/cut"
assert_eq "$(cat "$TRAP")" 0 "the cut has taken it"
echo all >"$SPINDLES/restore"
write_at "${DEVS[0]}" 0 gggg
rmdisks
