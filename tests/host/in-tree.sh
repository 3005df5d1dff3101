#!/bin/bash
# The module builds inside a kernel tree, as a module and built in; undo leaves no trace.
# subject: build
# needs: 6.12-debug
# rare: yes
# timeout: 600
set -euo pipefail
. "$(dirname "$0")/../../scripts/lib.sh"

[ -f "$TOP/drivers/md/raid-par/Kbuild" ] || { echo "SKIP: there is no module yet"; exit 77; }
source=$("$TOP/scripts/deb-source" linux-source-6.12)
obj=$("$TOP/scripts/build-kernel" 6.12-debug)
mkdir -p "$BUILD"
work=$(mktemp -d "$BUILD/in-tree.XXXX")
trap 'rm -rf "$work"' EXIT
tree=$work/tree

# Links are fast and take no space, if both trees are on one file system.
cp -al "$source" "$tree" 2>/dev/null || { rm -rf "$tree" && cp -a "$source" "$tree"; }

kbuild() { make -s -C "$tree" O="$work/obj" ARCH=um W=1 -j"$(nproc)" "$@"; }

# build m|y TARGET...: compile only the module's directory, since nothing else has changed. The
# list of symbols is that of the kernel that was built.
build() {
	local how=$1
	shift
	mkdir -p "$work/obj"
	{ cat "$obj/.config" && printf 'CONFIG_MD_RAID_PAR%s\n' "=$how" "_KUNIT_TEST=$how"; } >"$work/obj/.config"
	kbuild olddefconfig
	grep -qx "CONFIG_MD_RAID_PAR=$how" "$work/obj/.config" || die "Kconfig does not take MD_RAID_PAR=$how"
	cp "$obj/Module.symvers" "$work/obj/"
	kbuild KBUILD_MODPOST_WARN=1 KCFLAGS=-Werror "$@"
}

"$TOP/scripts/into-kernel-tree" "$tree"
"$TOP/scripts/into-kernel-tree" "$tree"
[ "$(grep -c raid-par "$tree/drivers/md/Kconfig" "$tree/drivers/md/Makefile" | cut -d: -f2 | xargs)" = "1 1" ] ||
	die "doing it twice is not the same as doing it once"

build m modules_prepare
build m drivers/md/raid-par/raid-par.ko
[ -f "$work/obj/drivers/md/raid-par/raid-par.ko" ] || die "no raid-par.ko"
build y drivers/md/raid-par/
[ -f "$work/obj/drivers/md/raid-par/built-in.a" ] || die "nothing built in"

"$TOP/scripts/into-kernel-tree" --undo "$tree"
diff -rq "$source/drivers/md" "$tree/drivers/md" || die "undo leaves traces"
