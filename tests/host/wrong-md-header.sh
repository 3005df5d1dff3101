#!/bin/bash
# A module built with another kernel's md.h or raid5.h is refused when it is loaded, and with another md.h by the build's check, too.
# rare: yes
# subject: build
# needs: stock-6.12
# timeout: 900
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
cp -r "$OBJ/usr/src/linux-md" "$DIR/raid5"

# A further field in the middle moves all later fields.
sed -i '/^struct mddev {/,/^};/s/^\tint[[:space:]]*raid_disks;/&\n\tlong wrong[5];/' "$DIR/md/md.h"
! cmp -s "$OBJ/usr/src/linux-md/md.h" "$DIR/md/md.h" || die "md.h could not be changed"

if compile_stock "$MODULE" "$DIR/md" >"$DIR/log" 2>&1; then
	die "FAILED: the check of the build finds nothing"
fi
[ -f "$DIR/src/$MODULE/raid-par.ko" ] || { tail -n 20 "$DIR/log"; die "FAILED: the module was not built"; }
grep -F 'was built with another md.h' "$DIR/log" || { tail -n 20 "$DIR/log"; die "FAILED: the check does not say why"; }
grep -E 'the module has: .*wrong\[5\];' "$DIR/log" || die "FAILED: the check does not say where"
mv "$DIR/src/$MODULE/raid-par.ko" "$DIR/mddev.ko"

# The same in what raid5 keeps of a block: struct r5dev, which is within struct stripe_head.
sed -i '/struct r5dev {/,/}/s/^\t*struct bio[[:space:]]*req, rreq;/&\n\tlong wrong[5];/' "$DIR/raid5/raid5.h"
! cmp -s "$OBJ/usr/src/linux-md/raid5.h" "$DIR/raid5/raid5.h" || die "raid5.h could not be changed"
compile_stock "$MODULE" "$DIR/raid5" >"$DIR/log" 2>&1 || { tail -n 20 "$DIR/log"; die "FAILED: the module was not built"; }
mv "$DIR/src/$MODULE/raid-par.ko" "$DIR/r5dev.ko"

# The right module loads, the wrong ones do not, and the kernel is not harmed. (The machine's
# log has the command, too: the brackets keep the pattern from matching itself.)
# shellcheck disable=SC2016  # for the machine
"$TOP/tests/machine/run" --kernel stock-6.12 --timeout 500 -- bash -euc '
	said() { dmesg | grep -c "$1" || true; }
	modprobe raid-par
	[ "$(said "md/par: [b]uilt with")$(said "md/par: this kernel does [n]ot describe")" = 00 ]
	modprobe -r raid-par
	for needed in $(modinfo -F depends "$1" | tr , " "); do modprobe "$needed"; done
	for wrong; do
		name=$(basename "$wrong" .ko)
		if insmod "$wrong"; then echo "FAILED: the one with a wrong $name loads"; exit 1; fi
		dmesg | grep "md/par: [b]uilt with.*struct $name"
	done
	[ "$(said "md/par: .*; [b]uild it again, with the md.h of exactly this kernel")" = $# ]
	if grep raid_par /proc/modules; then echo "FAILED: it stays"; exit 1; fi
	modprobe raid-par' - "$DIR"/{mddev,r5dev}.ko
