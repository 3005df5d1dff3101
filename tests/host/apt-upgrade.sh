#!/bin/bash
# A newer mdadm of Debian in a mirror does not replace the patched one, nor remove paradm; a newer patched one is taken; both can be undone.
# subject: build
set -euo pipefail
. "$(dirname "$0")/../../scripts/lib.sh"

mkdir -p "$BUILD"
WORK=$(mktemp -d "$BUILD/apt-upgrade.XXXX")
trap 'rm -rf "$WORK"' EXIT
VERSION=$(project_version)
OURS=4.4-11+deb13u1+par$VERSION

fail() { echo "FAILED: $*"; exit 1; }

# entry NAME VERSION [FIELD...]: a package, as in apt's and dpkg's lists.
entry() {
	printf 'Package: %s\nVersion: %s\nArchitecture: amd64\nPriority: optional\nSection: admin\nInstalled-Size: 1\n' "$1" "$2"
	printf 'Maintainer: x <x@x.example>\nDescription: x\n'
	[ $# = 2 ] || printf '%s\n' "${@:3}"
	echo
}

installed() { entry "$@" 'Status: install ok installed'; }

# depends PACKAGE: what packaging/debian/control says of it that matters here.
depends() { awk -v package="$1" '/^Package: / { inside = $2 == package } inside && /^(Depends|Recommends): /' "$TOP/packaging/debian/control" |
	sed -E 's/\$\{[^}]*\}, //g; s/, (kmod|pahole|xz-utils|zstd)//g; s/: kmod/: mdadm/; s/linux-source-6.12 [^,]*, //'; }

# mirror VERSION...: a mirror of mdadm in these versions, and apt's lists of it. Nothing of the system is read or changed.
mirror() {
	local version provides
	for version; do
		[[ $version != *+par* ]] || provides="Provides: mdadm-par (= ${version##*+par})"
		entry mdadm "$version" ${provides:+"$provides"} "Filename: ./mdadm_$version.deb" 'Size: 1' "SHA256: $(printf %064d 0)"
		provides=
	done >"$WORK/mirror/Packages"
	echo "deb [trusted=yes] file:$WORK/mirror ./" >"$WORK/etc/sources.list"
	apt update >/dev/null
}

apt() {
	apt-get -o Dir::State="$WORK/state" -o Dir::State::status="$WORK/status" -o Dir::Cache="$WORK/cache" \
		-o Dir::Etc="$WORK/etc" -o Dir::Etc::sourceparts=- -o APT::Architecture=amd64 -o APT::Architectures::=amd64 \
		-o Debug::NoLocking=1 -o APT::Sandbox::User= "$@"
}

# does COMMAND…: print what apt would install and remove.
does() { apt -s "$@" | grep -E '^(Inst|Remv)' || true; }

command -v apt-get >/dev/null || { echo "no apt here"; exit 77; }
mkdir -p "$WORK"/{state/lists/partial,cache/archives/partial,etc/preferences.d,etc/apt.conf.d,mirror}
{
	installed mdadm "$OURS" "Provides: mdadm-par (= $VERSION)"
	installed raid-par-dkms "$VERSION~deb13" "$(depends raid-par-dkms)"
	installed paradm "$VERSION~deb13" "$(depends paradm)"
} >"$WORK/status"
grep -q '^Depends:.*mdadm-par' "$WORK/status" || fail "paradm does not depend on mdadm-par: $(cat "$WORK/status")"

mirror 4.4-11+deb13u2 4.6-1
[[ $(does dist-upgrade) == *"Remv paradm"* ]] || fail "without the preferences, dist-upgrade should remove paradm: this test shows nothing"
# Each of the two packages suffices.
for package in paradm raid-par-dkms; do
	grep -q "packaging/apt-preferences .*/etc/apt/preferences.d/$package\$" "$TOP/packaging/debian/rules" ||
		fail "$package does not have the preferences"
	cp "$TOP/packaging/apt-preferences" "$WORK/etc/preferences.d/$package"
	for command in upgrade dist-upgrade 'install mdadm' 'install --reinstall paradm'; do
		# shellcheck disable=SC2086  # words
		said=$(does $command)
		[[ $said != *mdadm* && $said != *Remv* ]] || fail "with the preferences of $package: $command: $said"
	done
	rm "$WORK/etc/preferences.d/$package"
done

cp "$TOP/packaging/apt-preferences" "$WORK/etc/preferences.d/paradm"
mirror 4.4-11+deb13u2 "4.4-11+deb13u2+par$VERSION" 4.6-1
[[ $(does dist-upgrade) == "Inst mdadm [$OURS] (4.4-11+deb13u2+par$VERSION "* ]] || fail "a newer patched mdadm is not taken: $(does dist-upgrade)"
rm "$WORK/etc/preferences.d/paradm"

# As install.md says.
mirror 4.4-11+deb13u1
said=$(does install --allow-downgrades mdadm=4.4-11+deb13u1 paradm-)
[[ $said == *"Inst mdadm [$OURS] (4.4-11+deb13u1 "* && $said == *"Remv paradm"* ]] || fail "the return to Debian's: $said"
echo "a newer mdadm of Debian is not taken, a newer one of raid-par is"
