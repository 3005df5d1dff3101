#!/bin/bash
# A mirror that lacks a file, a package or everything is replaced or left out, and the message says so.
# subject: build
set -euo pipefail
. "$(dirname "$0")/../../scripts/lib.sh"

mkdir -p "$BUILD"
WORK=$(mktemp -d "$BUILD/fetch.XXXX")
trap 'rm -rf "$WORK"' EXIT
MIRROR=$WORK/mirror
export XDG_CACHE_HOME=$WORK/cache RAIDPAR_MIRROR="[trusted=yes] file:$MIRROR"
unset KSRC
CACHED=$XDG_CACHE_HOME/raid-par
touch "$WORK/before"

# A tree with the scripts of this one, and a series for the small mdadm below.
TREE=$WORK/tree
mkdir -p "$TREE"
cp -r "$TOP/scripts" "$TOP/tests" "$TREE"

fail() { printf '%s\n' "FAILED: $*" "it said:" "${SAID:-}"; exit 1; }

# try STATUS SCRIPT ARG...: run the script; its exit status is STATUS, GOT has its output, SAID its messages.
try() {
	local want=$1 script=$TREE/$2 rc=0
	shift 2
	GOT=$("$script" "$@" 2>"$WORK/said" </dev/null) || rc=$?
	SAID=$(cat "$WORK/said")
	[ "$rc" = "$want" ] || fail "$script $*: status $rc, not $want" "$GOT"
}

# says LINE...: these are all messages, a line for each step.
says() {
	local want
	want=$(printf 'raid-par: %s\n' "$@")
	[ "$SAID" = "$want" ] || fail "it should say:" "$want"
}

ends() { [ "$(tail -n 1 <<<"$SAID")" = "raid-par: $1" ] || fail "it should end in: $1"; }
is() { [ "$1" = "$2" ] || fail "$1 is not $2"; }

# edit FILE FROM TO: print a patch that changes one line.
edit() { printf '%s\n' "--- a/$1" "+++ b/$1" '@@ -1,1 +1,1 @@' "-$2" "+$3"; }

# source_package SUITE NAME VERSION TREE: make a source package with an upstream tarball and a patch of Debian's.
source_package() {
	local pool=$MIRROR/pool/$1/$2 name=$2 version=$3 tree=$WORK/$2-${3%-*}
	mkdir -p "$pool" "$tree"
	cp -r "$4/." "$tree"
	tar -C "$WORK" -cJf "$WORK/${name}_${version%-*}.orig.tar.xz" "${tree##*/}"
	mkdir -p "$tree/debian/source" "$tree/debian/patches"
	echo '3.0 (quilt)' >"$tree/debian/source/format"
	printf 'Source: %s\nMaintainer: T <t@example.org>\n\nPackage: %s\nArchitecture: all\nDescription: t\n' \
		"$name" "$name" >"$tree/debian/control"
	printf '%s (%s) unstable; urgency=low\n\n  * t\n\n -- T <t@example.org>  Mon, 01 Jan 2024 00:00:00 +0000\n' \
		"$name" "$version" >"$tree/debian/changelog"
	edit from.h '#define FROM "upstream"' '#define FROM "Debian"' >"$tree/debian/patches/from.patch"
	echo from.patch >"$tree/debian/patches/series"
	patch -d "$tree" -p1 -s <"$tree/debian/patches/from.patch"
	(cd "$WORK" && dpkg-source -b "${tree##*/}" >/dev/null 2>"$WORK/dpkg-source.log") ||
		fail "dpkg-source: $(cat "$WORK/dpkg-source.log")"
	mv "$WORK/${name}_"* "$pool/"
	rm -rf "$tree"
}

# deb SUITE NAME VERSION TREE
deb() {
	mkdir -p "$4/DEBIAN" "$MIRROR/pool/$1"
	printf '%s: %s\n' Package "$2" Version "$3" Architecture all Maintainer 'T <t@example.org>' Description t \
		>"$4/DEBIAN/control"
	dpkg-deb --root-owner-group -b "$4" "$MIRROR/pool/$1/$2_$3_all.deb" >/dev/null
}

# index SUITE...: write the indexes for the present content of the pools.
index() {
	local suite dir file
	for suite; do
		dir=$MIRROR/dists/$suite
		mkdir -p "$dir/main/source" "$dir/main/binary-$(dpkg --print-architecture)" "$MIRROR/pool/$suite"
		(cd "$MIRROR" && dpkg-scansources "pool/$suite" >"$dir/main/source/Sources" &&
			dpkg-scanpackages -m "pool/$suite" >"$dir/main/binary-$(dpkg --print-architecture)/Packages") 2>/dev/null
		{
			printf '%s: %s\n' Suite "$suite" Codename "$suite" Components main Architectures "$(dpkg --print-architecture)"
			echo SHA256:
			(cd "$dir" && find main -type f | while read -r file; do
				echo " $(sha256sum <"$file" | cut -d' ' -f1) $(stat -c %s "$file") $file"
			done)
		} >"$dir/Release"
	done
}

# small_mdadm VERSION: make sources of an mdadm to which the series applies, and set SMALL to their directory.
small_mdadm() {
	local tree=$WORK/small-$1
	mkdir "$tree"
	echo '#define FROM "upstream"' >"$tree/from.h"
	echo '#define LEVEL "none"' >"$tree/level.h"
	printf '%s\n' '#include <stdio.h>' '#include "from.h"' '#include "level.h"' \
		"int main(void) { return puts(\"$1, of \" FROM \", level \" LEVEL) < 0; }" >"$tree/main.c"
	# shellcheck disable=SC2016  # make's variables
	printf '%s\n' 'CWFLAGS ?= -Wall' 'mdadm mdmon: main.c; $(CC) $(CWFLAGS) -c -o $@.o main.c && $(CC) -o $@ $@.o' \
		>"$tree/Makefile"
	mkdir -p "$TREE/mdadm-patches"
	edit level.h '#define LEVEL "none"' '#define LEVEL "par"' >"$TREE/mdadm-patches/level.patch"
	echo level.patch >"$TREE/mdadm-patches/series"
	SMALL=$tree
}

# small_kernel SERIES SUITE VERSION: make a package linux-source, and a source package with upstream's tarball.
small_kernel() {
	local tree=$WORK/linux
	rm -rf "$tree" "$WORK/deb"
	mkdir -p "$tree/drivers/md" "$WORK/deb/usr/src"
	echo '#define FROM "upstream"' >"$tree/from.h"
	echo "$3" >"$tree/drivers/md/md.h"
	source_package "$2" linux "$3" "$tree"
	mv "$tree" "$WORK/linux-source-$1"
	tar -C "$WORK" -cJf "$WORK/deb/usr/src/linux-source-$1.tar.xz" "linux-source-$1"
	mv "$WORK/linux-source-$1" "$tree"
	deb "$2" "linux-source-$1" "$3" "$WORK/deb"
}

# stock_kernel SUITE RELEASE VERSION
stock_kernel() {
	local tree=$WORK/image lib=usr/lib/modules/$2
	rm -rf "$tree" "$WORK/headers"
	mkdir -p "$tree/boot" "$tree/$lib/kernel/drivers/md" "$WORK/headers/usr/src/linux-headers-$2"
	echo "$3" >"$tree/boot/vmlinuz-$2"
	printf '' | gcc -x c -c -o "$tree/$lib/kernel/drivers/md/md-mod.ko" -
	xz "$tree/$lib/kernel/drivers/md/md-mod.ko"
	touch "$tree/$lib/modules.order" "$tree/$lib/modules.builtin" "$WORK/headers/usr/src/linux-headers-$2/Module.symvers"
	deb "$1" "linux-image-$2" "$3" "$tree"
	deb "$1" "linux-headers-$2" "$3" "$WORK/headers"
}

make_mirror() {
	small_mdadm 4.4
	source_package trixie mdadm 4.4-11 "$SMALL"
	cp -r "$MIRROR/pool/trixie/mdadm" "$WORK/mdadm-4.4-11.kept"
	small_mdadm 4.6
	source_package forky mdadm 4.6-3 "$SMALL"
	small_kernel 6.12 trixie 6.12.9-1
	small_kernel 7.2 trixie-backports 7.2.1-1
	stock_kernel trixie 6.12.9+deb13-amd64 6.12.9-1
	stock_kernel trixie 6.12.8+deb13-amd64 6.12.8-1
	small_kernel 6.12 trixie 6.12.8-1
	index trixie forky trixie-backports
}

POOL=$MIRROR/pool
LATER='try again later, or name another mirror by RAIDPAR_MIRROR='
anew() { rm -rf "$CACHED" "$TREE/build"; }
# aged TIME: set the time at which the index of Debian 13 was read.
aged() { touch -d "$1" "$CACHED/apt/trixie/updated"; }

whole() {
	try 0 scripts/build-mdadm 4.4
	is "$("$GOT/mdadm")" "4.4, of Debian, level par"
	is "$(sed 's/: done in .*//' <<<"$SAID")" "$(printf 'raid-par: %s\n' \
		'fetching and unpacking mdadm 4.4: source package 4.4-11 of trixie' 'building mdadm-4.4' 'building mdadm-4.4')"
	try 0 scripts/deb-source linux-source-6.12
	says "fetching and unpacking linux-source-6.12: package 6.12.9-1 of trixie"
	is "$(cat "$GOT/drivers/md/md.h" "$GOT/.deb-version")" "$(printf '6.12.9-1\n6.12.9-1')"
	try 0 scripts/stock-kernel 6.12
	is "$(cat "$GOT/.release" "$GOT/usr/src/linux-md/md.h")" "$(printf '6.12.9+deb13-amd64\n6.12.9-1')"
	echo "nothing lacks: all as it is"
}

# The mirror lacks the description of a source package, as Debian's did on the day when this test was written.
lacks_a_file() {
	local gone=$POOL/trixie/mdadm/mdadm_4.4-11.dsc
	anew
	rm "$gone"
	try 0 scripts/build-mdadm 4.4
	is "$("$GOT/mdadm")" "4.4, of upstream, level par"
	is "$(grep -v 'building' <<<"$SAID")" "$(printf 'raid-par: %s\n' \
		'fetching and unpacking mdadm 4.4: source package 4.4-11 of trixie' \
		"mdadm 4.4: not available this way: mdadm_4.4-11.dsc: File not found - $gone (2: No such file or directory)" \
		'fetching and unpacking mdadm 4.4: the upstream tarball alone, of source package 4.4-11 of trixie')"
	is "$(cat "$CACHED/src/mdadm-4.4/.deb-version")" "4.4-11 (upstream tarball)"
	echo "lacks the .dsc: the upstream tarball, and the series on it"

	anew
	rm "$POOL/trixie/linux-source-6.12_6.12.9-1_all.deb"
	try 0 scripts/deb-source linux-source-6.12
	is "$(cat "$GOT/drivers/md/md.h" "$GOT/.deb-version")" "$(printf '6.12.8-1\n6.12.8-1')"
	rm -rf "$CACHED/src" "$POOL/trixie/linux-source-6.12_6.12.8-1_all.deb"
	try 0 scripts/deb-source linux-source-6.12
	is "$(cat "$GOT/drivers/md/md.h" "$GOT/.deb-version")" "$(printf '6.12.9-1\n6.12.9-1 (upstream tarball)')"
	ends 'fetching and unpacking linux-source-6.12: the upstream tarball alone, of source package 6.12.9-1 of trixie'
	rm -rf "$CACHED/src"
	try 0 scripts/stock-kernel 6.12
	is "$(cat "$GOT/.release" "$GOT/usr/src/linux-md/md.h")" "$(printf '6.12.9+deb13-amd64\n6.12.9-1')"
	anew
	rm "$POOL/trixie/linux-headers-6.12.9+deb13-amd64_6.12.9-1_all.deb"
	try 0 scripts/stock-kernel 6.12
	is "$(cat "$GOT/.release" "$GOT/usr/src/linux-md/md.h")" "$(printf '6.12.8+deb13-amd64\n6.12.8-1')"
	ends 'fetching Debian'\''s own Linux 6.12.8+deb13-amd64 (trixie)'
	echo "lacks debs of kernels: the version before, or upstream's tarball"
}

# The mirror has a newer version than the index that was read some time ago.
index_is_old() {
	local when=$1
	anew
	rm -rf "$POOL/trixie/mdadm"
	cp -r "$WORK/mdadm-4.4-11.kept" "$POOL/trixie/mdadm"
	index trixie
	try 0 scripts/deb-source mdadm 4.4
	rm -rf "$CACHED/src" "$POOL/trixie/mdadm"
	source_package trixie mdadm 4.4-12 "$WORK/small-4.4"
	index trixie
	aged "$when"
	try 0 scripts/deb-source mdadm 4.4
	is "$(cat "$GOT/.deb-version")" 4.4-12
	ends 'fetching and unpacking mdadm 4.4: source package 4.4-12 of trixie'
}

lacks_a_package() {
	anew
	rm -rf "$POOL/trixie/mdadm" "$POOL/trixie-backports"
	index trixie trixie-backports
	try 69 scripts/build-mdadm 4.4
	ends "error: cannot fetch mdadm 4.4 from file:$MIRROR: $LATER"
	try 0 scripts/build-mdadm any
	is "$("$GOT/mdadm")" "4.6, of Debian, level par"
	ends 'note: mdadm 4.6 takes the place of 4.4'
	try 0 scripts/build-mdadm any
	ends 'note: mdadm 4.6 takes the place of 4.4'
	try 69 scripts/build-kernel 7.2
	ends "error: cannot fetch linux-source-7.2 from file:$MIRROR: $LATER"
	try 69 tests/machine/run --kernel 7.2 -- true
	try 69 scripts/stock-kernel 7.2
	ends "error: cannot fetch Debian's own Linux 7.2: $LATER"

	# The mirror lacks a compiler. (If mmdebstrap is not installed, it would be fetched from the system's mirror.)
	if [ "$(id -u)" = 0 ] && command -v mmdebstrap >/dev/null; then
		try 69 scripts/build-module stock-6.12
		[[ $SAID == *'error: making a Debian 13 for the stock kernels: the mirror lacks a package (see '* ]] ||
			fail "the message should be that the mirror lacks a package"
	fi

	# Tests that need the missing sources are skipped by name.
	try 0 tests/run --jobs 1 -k '^(host/mdadm-messages-4.4|meta/complaints|machine-7.2/huge)$'
	[ "$(grep -c '^skipped .*: .*error: cannot fetch ' <<<"$GOT")" = 3 ] || fail "not three tests are skipped: $GOT"
	is "$(tail -n 1 <<<"$GOT")" "0 passed, 0 failed, 3 skipped"
	echo "lacks mdadm 4.4 and Linux 7.2: mdadm 4.6 instead, and their tests are skipped"
}

# A file of the index is missing as well: an incomplete index is not read.
lacks_all() {
	anew
	rm -rf "$POOL" "$MIRROR/dists"
	try 69 scripts/build-mdadm any
	ends "error: neither mdadm 4.4 nor 4.6 is available: $LATER"
	try 1 scripts/deb-source linux-source-6.12
	ends "error: cannot fetch linux-source-6.12 from file:$MIRROR: ${LATER/or /}, or a tree of Linux 6.12 by KSRC=DIR"
	try 1 tests/demo/demo
	[ ! -d "$TREE/build/demo" ] || fail "the demo began"
	KSRC=$WORK/linux try 0 scripts/deb-source linux-source-6.12
	is "$GOT" "$WORK/linux"
	echo "lacks everything: a line says what to do"
}

untouched() {
	local changed
	changed=$(find /etc/apt -newer "$WORK/before" -type f 2>/dev/null)
	[ -z "$changed" ] || fail "the system's apt was changed: $changed"
}

make_mirror
whole
lacks_a_file
index_is_old '-1 hour'
index_is_old '-2 days'
echo "the index is old: read anew"
lacks_a_package
lacks_all
untouched
