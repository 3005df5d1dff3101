#!/bin/bash
# The in-tree patch is clean, git am applies it to 6.12 and 7.2, and drivers/md builds there with it.
# subject: build
# needs: 6.12-debug 7.2-prepare
# rare: yes
# timeout: 900
set -euo pipefail
. "$(dirname "$0")/../../scripts/lib.sh"

CHECKER=$("$TOP/scripts/deb-source" linux-source-6.12)
mkdir -p "$BUILD"
WORK=$(mktemp -d "$BUILD/kernel-patch-test.XXXX")
trap 'rm -rf "$WORK"' EXIT
export GIT_COMMITTER_NAME=test GIT_COMMITTER_EMAIL=test@example.org GIT_AUTHOR_NAME=test GIT_AUTHOR_EMAIL=test@example.org

# Ignored: what tests/check ignores, and the kernel's list of maintainers.
checkpatch() {
	local ignore=CAMELCASE,LONG_LINE_STRING,LINUX_VERSION_CODE,CONSTANT_COMPARISON,MACRO_ARG_UNUSED
	ignore+=,OPEN_ENDED_LINE,PARENTHESIS_ALIGNMENT,FILE_PATH_CHANGES
	(cd "$WORK" && perl "$CHECKER/scripts/checkpatch.pl" --root="$CHECKER" --no-tree --strict --terse --no-summary \
		--ignore "$ignore" "$1")
}

# A tree of links is fast to make. git tracks only the files that the patch changes.
make_tree() {
	cp -al "$1" "$2" 2>/dev/null || { rm -rf "$2" && cp -a "$1" "$2"; }
	git -C "$2" init -q
	git -C "$2" add -f drivers/md/Kconfig drivers/md/Makefile
	git -C "$2" -c core.hooksPath=/dev/null commit -q -m base
}

kbuild() { make -s -C "$WORK/$VERSION" O="$WORK/obj-$VERSION" ARCH=um W=1 -j"$(nproc)" "$@"; }

# Built in: a module would need the list of symbols of a whole kernel.
build() {
	mkdir "$WORK/obj-$VERSION"
	{ cat "$("$TOP/scripts/build-kernel" "$1")/.config" && printf 'CONFIG_MD_RAID_PAR%s=y\n' '' _KUNIT_TEST; } \
		>"$WORK/obj-$VERSION/.config"
	kbuild olddefconfig
	grep -qx CONFIG_MD_RAID_PAR=y "$WORK/obj-$VERSION/.config" || die "Kconfig does not take MD_RAID_PAR"
	kbuild drivers/md/
	[ -f "$WORK/obj-$VERSION/drivers/md/raid-par/personality.o" ] || die "the module was not built"
	[ -f "$WORK/obj-$VERSION/drivers/md/raid-par/tests/zone_kunit.o" ] || die "its KUnit suites were not built"
}

on() {
	local source patch
	VERSION=$1
	source=$("$TOP/scripts/deb-source" "linux-source-$VERSION")
	patch=$("$TOP/scripts/kernel-patch" "$source")
	checkpatch "$patch"
	make_tree "$source" "$WORK/$VERSION"
	git -C "$WORK/$VERSION" -c core.hooksPath=/dev/null am -q "$patch"
	cmp "$TOP/Documentation/ABI/testing/sysfs-block-md-par" "$WORK/$VERSION/Documentation/ABI/testing/sysfs-block-md-par"
	! grep -rl layout_check "$WORK/$VERSION/drivers/md/raid-par" --include=layout.c || die "the guard is in the patch"
	build "$2"
	echo "$VERSION: clean, applies, builds"
}

"$TOP/scripts/kernel-patch" "$BUILD" 2>"$WORK/refusal" && die "a directory that is not a kernel tree is accepted"
grep -q 'is not a kernel source tree' "$WORK/refusal"
on 6.12 6.12-debug
on 7.2 7.2-prepare
