#!/bin/bash
# Without a mirror, or with one that lacks a file of Ceph, the tests of clusters are skipped, and a line says why.
set -euo pipefail
. "$(dirname "$0")/lib.sh"

[ "$(id -u)" = 0 ] || { echo "SKIP: needs root"; exit 77; }
WORK=$(mktemp -d)
trap 'rm -rf "$WORK"' EXIT
MAIN=$WORK/mirror/dists/bookworm/main
export XDG_CACHE_HOME=$WORK/cache RAIDPAR_MIRROR="[trusted=yes] file:$WORK/mirror"

# skips WHY: cluster.sh is skipped, and its last line is the reason.
skips() {
	local status=0
	"$TOP/tests/fleet/cluster.sh" >"$WORK/said" 2>&1 || status=$?
	[ "$status" = 69 ] && [[ $(tail -n 1 "$WORK/said") == "raid-par: error: cannot fetch the Ceph of bookworm: $1"* ]] ||
		{ echo "status $status, and it should say '$1':"; cat "$WORK/said"; exit 1; }
}

# The index names each package that is needed, and the mirror has none of them.
index() {
	local package packages arch
	arch=$(dpkg --print-architecture)
	mkdir -p "$MAIN/source" "$MAIN/binary-$arch"
	touch "$MAIN/source/Sources"
	packages=$(sed -n '/^PACKAGES=(/,/)$/p' "$TOP/tests/fleet/bed/root" | tr -d '()' | sed 's/PACKAGES=//')
	for package in $packages; do
		printf '%s: %s\n' Package "$package" Version 1 Architecture "$arch" Size 1 Filename "pool/$package.deb" \
			SHA256 "$(sha256sum </dev/null | cut -d' ' -f1)" Maintainer 'T <t@example.org>' Description t
		echo
	done >"$MAIN/binary-$arch/Packages"
	cd "$MAIN/.."
	{
		printf '%s: %s\n' Suite bookworm Codename bookworm Components main Architectures "$arch"
		echo SHA256:
		find main -type f -exec sh -c 'echo " $(sha256sum <"$1" | cut -d" " -f1) $(stat -c "%s" "$1") $1"' - {} \;
	} >Release
}

skips "Unable to locate package ceph-osd"
rm -rf "$WORK/cache"
index
skips "base-files.deb: File not found"
