#!/bin/bash
# A failed member is detached even if md is slow to clear its place in a set.
# subject: member
# needs: 6.12-debug
# rare: yes
set -euo pipefail
. "$(dirname "$0")/../../scripts/lib.sh"

# A tree like this one, except that its module delays md before it clears the place.
TREE=$BUILD/detach-late
rm -rf "$TREE"
mkdir -p "$TREE/build" "$TREE/drivers/md"
"$TOP/scripts/build-mdadm" any >/dev/null
ln -s "$TOP/scripts" "$TOP/tests" "$TREE"
ln -s "$BUILD/mdadm" "$TREE/build"
cp -r "$TOP/drivers/md/raid-par" "$TREE/drivers/md"
CHILD=$TREE/drivers/md/raid-par/sets/child.c
sed -i '/^static int child_hot_remove/,/^}/s/^\tpar_remove_again(.*/&\n\tschedule_timeout_uninterruptible(HZ \/ 2);/' "$CHILD"
[ "$(grep -c 'schedule_timeout_uninterruptible(HZ / 2)' "$CHILD")" = 1 ] || die "FAILED: nothing to hold up in child.c"

"$TREE/tests/machine/run" --debug -- "$TREE/tests/machine/cases/detach.sh"
