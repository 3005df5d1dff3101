#!/bin/bash
# A module built with another kernel's md.h is refused, by the build's check and by the module itself when it is loaded.
# rare: yes
# subject: build
# needs: stock-6.12
# timeout: 600
set -euo pipefail
. "$(dirname "$0")/../../scripts/lib.sh"
. "$(dirname "$0")/../../scripts/stock-module.sh"

MODULE=drivers/md/raid-par
OBJ=$("$TOP/scripts/stock-kernel" 6.12)
"$TOP/scripts/debian-root" >/dev/null
mkdir -p "$BUILD"
DIR=$(mktemp -d "$BUILD/wrong-md.XXXX")
trap 'rm -rf "$DIR"' EXIT
mkdir -p "$DIR/src/drivers/md"
cp -r "$TOP/$MODULE" "$DIR/src/drivers/md/"
cp -r "$OBJ/usr/src/linux-md" "$DIR/md"

# A further field in the middle moves all later fields.
sed -i '/^struct mddev {/,/^};/s/^\tint[[:space:]]*raid_disks;/&\n\tlong wrong[5];/' "$DIR/md/md.h"
! cmp -s "$OBJ/usr/src/linux-md/md.h" "$DIR/md/md.h" || die "md.h could not be changed"

if compile_stock "$MODULE" "$DIR/md" >"$DIR/log" 2>&1; then
	die "FAILED: the check of the build finds nothing"
fi
[ -f "$DIR/src/$MODULE/raid-par.ko" ] || { tail -n 20 "$DIR/log"; die "FAILED: the module was not built"; }
grep -F 'was built with another md.h' "$DIR/log" || { tail -n 20 "$DIR/log"; die "FAILED: the check does not say why"; }
grep -E 'the module has: .*wrong\[5\];' "$DIR/log" || die "FAILED: the check does not say where"

# The right module loads, the wrong one does not, and the kernel is not harmed. (The machine's
# log has the command, too: the brackets keep the pattern from matching itself.)
# shellcheck disable=SC2016  # for the machine
"$TOP/tests/machine/run" --kernel stock-6.12 --timeout 500 -- bash -euc '
	said() { dmesg | grep -c "$1" || true; }
	modprobe raid-par
	[ "$(said "md/par: [b]uilt with")$(said "md/par: this kernel does [n]ot tell")" = 00 ]
	modprobe -r raid-par
	for needed in $(modinfo -F depends "$1" | tr , " "); do modprobe "$needed"; done
	if insmod "$1"; then echo "FAILED: it loads"; exit 1; fi
	dmesg | grep "md/par: [b]uilt with"
	[ "$(said "md/par: .*; [b]uild it again, with the md.h of exactly this kernel")" = 1 ]
	if grep raid_par /proc/modules; then echo "FAILED: it stays"; exit 1; fi
	modprobe raid-par' - "$DIR/src/$MODULE/raid-par.ko"
