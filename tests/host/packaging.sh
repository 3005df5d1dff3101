#!/bin/bash
# One version in all, the packages have all their files, dkms finds md's headers of exactly the kernel, the tarball is reproducible.
# subject: build
set -euo pipefail
. "$(dirname "$0")/../../scripts/lib.sh"

mkdir -p "$BUILD"
WORK=$(mktemp -d "$BUILD/packaging.XXXX")
trap 'rm -rf "$WORK"' EXIT
DKMS=$TOP/packaging/dkms
MODULE=$TOP/drivers/md/raid-par
VERSION=$(project_version)

fail() { echo "FAILED: $*"; exit 1; }
is() { [ "$1" = "$2" ] || fail "$3: '$1', not '$2'"; }

# try STATUS COMMAND...: run the command; its exit status is STATUS, SAID has its messages.
try() {
	local wanted=$1 status=0
	shift
	SAID=$("$@" 2>&1) || status=$?
	is "$status" "$wanted" "status of $*: $SAID"
}

says() { [[ $SAID == *"$1"* ]] || fail "it should say '$1': $SAID"; }

versions() {
	local program=$BUILD/tools/debug/paradm release
	[[ $VERSION =~ ^[0-9]+\.[0-9]+\.[0-9]+$ ]] || fail "the module's version: $VERSION"
	is "$(grep -rh '^MODULE_VERSION' "$MODULE" | wc -l)" 1 "modules with a version"
	is "$(sed -n 's/^## \([^ ]*\) .*/\1/p' "$TOP/CHANGELOG.md" | head -n 1)" "$VERSION" "CHANGELOG.md"
	[ "$(release_time)" -gt 0 ] || fail "CHANGELOG.md has no day"
	! grep -q '^version' "$TOP"/tools/{,*/}Cargo.toml || fail "a Cargo.toml has a version of its own"
	# A program that was built before the version changed is not compared.
	if [ "$program" -nt "$MODULE/personality.c" ]; then
		release=$("$program" --version)
		is "$release" "paradm $VERSION" "paradm --version"
	fi
	echo "version $VERSION"
}

conf_is_consistent() {
	local supported name release number
	supported=$(kernelver='' kernel_source_dir='' bash -c '. "$1"; echo "$BUILD_EXCLUSIVE_KERNEL"' - "$DKMS/dkms.conf")
	for release in 6.12.94+deb13-amd64 6.12.117+deb12-amd64 6.12.0 7.2.4+deb13-amd64 7.2-rc1; do
		[[ $release =~ $supported ]] || fail "dkms.conf passes over $release"
	done
	for release in 6.1.0-40-amd64 6.11.10 6.120.0 6.13.1 7.1.3 7.20.1 17.2.0 8.0; do
		! [[ $release =~ $supported ]] || fail "dkms.conf takes $release"
	done
	for number in 'OLDEST	KERNEL_VERSION(6, 12,' 'NEWEST	KERNEL_VERSION(7, 2,'; do
		grep -qF "$number" "$MODULE/compat/compat.h" || fail "dkms.conf and compat.h name other kernels"
	done
	# dkms.conf has the module's name, and names only programs that are in the package.
	grep -q '^BUILT_MODULE_NAME\[0\]="raid-par"$' "$DKMS/dkms.conf" || fail "the module's name"
	for name in md-headers build-module build-missing secure-boot; do
		[ -x "$DKMS/$name" ] && grep -q "packaging/dkms/$name" "$TOP/packaging/debian/rules" || fail "$name is not in the package"
	done
	for name in 6.12 7.2; do
		grep -q "linux-source-$name" "$TOP/packaging/debian/control" &&
			grep -q "/usr/src/linux-source-$name.tar.xz" "$TOP/packaging/debian/raid-par-dkms.triggers" ||
			fail "linux-source-$name is not in control and triggers"
	done
	echo "dkms.conf: 6.12 and 7.2"
}

# taken COMMAND...: what dkms.conf says to dkms that is run with this command: AUTOINSTALL, and the kernels.
# shellcheck disable=SC2016,SC2086  # for the other shell; words
taken() { bash "$WORK/dkms" $1; }

# The kernels here: one with all that is needed, one without md's headers, one of another series, and headers alone.
conf_depends_on_command() {
	local here=6.12.9+deb12-amd64 bare=6.12.7+deb12-amd64 other=6.1.0-40-amd64 alone=6.12.8+deb12-amd64 all program
	program="$WORK/src/raid-par-$VERSION/dkms/md-headers"
	mkdir -p "$WORK/modules"/{$here,$bare,$other}/kernel "${program%/*}"
	# shellcheck disable=SC2016  # for the other shell
	printf '%s\n' '. "${0%/*}/dkms.conf" && echo "$AUTOINSTALL $BUILD_EXCLUSIVE_KERNEL"' >"$WORK/dkms"
	# shellcheck disable=SC2016
	printf '#!/bin/sh\n[ "$1" = %s ]\n' $here >"$program"
	chmod +x "$program"
	sed "s,/lib/modules,$WORK/modules,; s,/usr/src,$WORK/src,; s,#MODULE_VERSION#,$VERSION," "$DKMS/dkms.conf" >"$WORK/dkms.conf"
	all=$(taken status)
	is "${all%% *}" yes "AUTOINSTALL"
	is "$(taken "build -m raid-par -v $VERSION -k $here")" "$all" "a build"
	is "$(taken "build -m raid-par -v $VERSION -k $here/x86_64")" "$all" "a build for an architecture"
	is "$(taken "build -m raid-par -v $VERSION -k $bare")" 'yes ^$' "a build without md's headers"
	is "$(taken "build -m raid-par -v $VERSION -k $alone")" 'yes ^$' "a build without the kernel"
	is "$(taken "build -m raid-par -v $VERSION -k $other")" "$all" "a build for another series"
	is "$(taken "install -m raid-par -v $VERSION -k $bare")" "$all" "an installation by hand"
	is "$(taken "autoinstall --kernelver $here")" "$all" "a kernel is installed"
	is "$(taken "autoinstall -k $bare")" "$all" "a kernel is installed, without md's headers"
	is "$(taken "autoinstall --kernelver=$other")" "${all#yes}" "a kernel of another series is installed"
	is "$(taken "autoinstall --kernelver $alone")" ' ^$' "headers without their kernel are installed"
	echo "dkms.conf: fails for a kernel that is installed, and passes over what it cannot build for"
}

# installed NAME VERSION...: set the packages that dpkg knows in the root of these tests.
installed() {
	mkdir -p "$WORK/root/var/lib/dpkg/updates" "$WORK/root/usr/src"
	: >"$WORK/root/var/lib/dpkg/available"
	while [ $# -gt 0 ]; do
		printf 'Package: %s\nStatus: install ok installed\nArchitecture: all\nMaintainer: x\nVersion: %s\nDescription: x\n\n' "$1" "$2"
		shift 2
	done >"$WORK/root/var/lib/dpkg/status"
}

source_package() {
	local tree=$WORK/tree/linux-source-6.12/drivers/md
	mkdir -p "$tree/dm-vdo"
	echo "$1" >"$tree/md.h"
	echo "$1" >"$tree/raid5.h"
	echo x >"$tree/dm-vdo/types.h"
	tar -C "$WORK/tree" -cJf "$WORK/root/usr/src/linux-source-6.12.tar.xz" linux-source-6.12
}

headers() { RAIDPAR_ROOT=$WORK/root "$DKMS/md-headers" "$@"; }

finds_headers() {
	local kernel=6.12.9+deb13-amd64 kept=$WORK/root/var/lib/raid-par/md-headers
	installed linux-headers-$kernel 6.12.9-1
	try 1 headers $kernel /nowhere
	says "linux-source-6.12, version 6.12.9-1"
	says "apt-get install linux-source-6.12=6.12.9-1"

	# A source package of another version is reported, and not used.
	source_package 6.12.8-1
	installed linux-headers-$kernel 6.12.9-1 linux-source-6.12 6.12.8-1
	try 1 headers $kernel /nowhere
	says "6.12.8-1 of linux-source-6.12 is installed"
	[ ! -e "$kept" ] || fail "headers of another version were kept"

	source_package 6.12.9-1
	installed linux-headers-$kernel 6.12.9-1 linux-source-6.12 6.12.9-1
	try 0 headers $kernel /nowhere
	is "$SAID" "$kept/6.12.9-1" "the directory"
	is "$(cat "$SAID/md.h" "$SAID/raid5.h")" "$(printf '6.12.9-1\n6.12.9-1')" "the headers"

	# The headers stay when the source is removed; an incomplete archive leaves no headers.
	installed linux-headers-$kernel 6.12.9-1
	rm "$WORK/root/usr/src/linux-source-6.12.tar.xz"
	try 0 headers $kernel /nowhere
	is "$SAID" "$kept/6.12.9-1" "what was kept"
	rm -rf "$kept"
	echo broken >"$WORK/root/usr/src/linux-source-6.12.tar.xz"
	installed linux-headers-$kernel 6.12.9-1 linux-source-6.12 6.12.9-1
	try 1 headers $kernel /nowhere
	is "$(find "$kept" -mindepth 1)" "" "what a broken archive leaves"

	# A kernel that the user has built.
	installed nothing 1
	try 1 headers 6.12.3 /nowhere
	says "use its whole tree as the build tree"
	mkdir -p "$WORK/own/drivers/md"
	touch "$WORK/own/drivers/md/raid5.h"
	try 0 headers 6.12.3 "$WORK/own"
	is "$SAID" "$WORK/own/drivers/md" "of a whole tree"
	echo "md's headers: of exactly the kernel, or what to install"
}

# hook PROGRAM [ARG...]: a program of the package as dpkg runs it. CALLED has what dkms is called with.
hook() {
	mkdir -p "$WORK/bin"
	printf '#!/bin/sh\necho "$@" >>%s\n' "$WORK/called" >"$WORK/bin/dkms"
	chmod +x "$WORK/bin/dkms"
	: >"$WORK/called"
	PATH=$WORK/bin:$PATH RAIDPAR_ROOT=$WORK/root try 0 "$@"
	CALLED=$(<"$WORK/called")
}

kernel_hook_says_what_is_missing() {
	local kernel=6.12.9+deb13-amd64 root=$WORK/root
	rm -rf "$root"
	installed linux-headers-$kernel 6.12.9-1 linux-headers-6.13.1-amd64 6.13.1-1
	mkdir -p "$root/usr/src/raid-par-$VERSION" "$root"/lib/modules/{$kernel,6.13.1-amd64}/build/include
	hook "$DKMS/kernel-hook" $kernel
	is "$SAID" "" "after the package was removed"
	cp -r "$DKMS" "$DKMS/dkms.conf" "$root/usr/src/raid-par-$VERSION/"
	hook "$DKMS/kernel-hook" $kernel
	is "$SAID" "" "for headers without their kernel"
	mkdir "$root"/lib/modules/{$kernel,6.13.1-amd64}/kernel
	hook "$DKMS/kernel-hook" $kernel
	says "apt-get install linux-source-6.12=6.12.9-1"
	# dkms may have forgotten the module with the last kernel that had it.
	is "$CALLED" "add -m raid-par -v $VERSION" "what is asked of dkms"
	mkdir -p "$root/var/lib/dkms/raid-par/$VERSION"
	hook "$DKMS/kernel-hook" $kernel
	is "$CALLED" "" "what is asked of a dkms that knows the module"
	# It speaks of the kernel that is being installed only, and of none that is not supported.
	hook "$DKMS/kernel-hook" 6.12.8+deb13-amd64
	is "$SAID" "" "for a kernel without headers"
	rm -r "$root/var/lib/dkms"
	hook "$DKMS/kernel-hook" 6.13.1-amd64
	is "$SAID$CALLED" "" "for a kernel that is not supported"
	# With the source package the build lacks nothing.
	mkdir -p "$WORK/tree"
	source_package 6.12.9-1
	installed linux-headers-$kernel 6.12.9-1 linux-source-6.12 6.12.9-1
	hook "$DKMS/kernel-hook" $kernel
	is "$SAID" "" "with the source package"
	# It is built then, and no other module is.
	hook "$root/usr/src/raid-par-$VERSION/dkms/build-missing"
	is "$CALLED" "add -m raid-par -v $VERSION
install -m raid-par -v $VERSION -k $kernel" "what is built by the source package"
	echo "a kernel's installation: what the build lacks"
}

# secure_boot STATE ENROLLED: print the message in this state.
secure_boot() {
	mkdir -p "$WORK/bin"
	cat >"$WORK/bin/mokutil" <<-END
		#!/bin/sh
		case \$1 in
		--sb-state) echo "$1" ;;
		--test-key) echo "\$2 is $2"; exit 1 ;;
		esac
	END
	chmod +x "$WORK/bin/mokutil"
	SAID=$(PATH=$WORK/bin:$PATH "$DKMS/secure-boot")
}

tells_of_secure_boot() {
	secure_boot "SecureBoot enabled" "not enrolled"
	says "mokutil --import /var/lib/dkms/mok.pub"
	secure_boot "SecureBoot enabled" "already enrolled"
	is "$SAID" "" "with the key enrolled"
	secure_boot "SecureBoot disabled" "not enrolled"
	is "$SAID" "" "without Secure Boot"
	echo "Secure Boot: how to enrol the key"
}

# A clone in another place, with another umask and configuration, makes the same tarball.
same_tarball() {
	local place sum='' new
	for place in one two/three; do
		git clone -q --no-hardlinks "$TOP" "$WORK/$place"
		new=$(
			cd "$WORK/$place"
			if [ "$place" != one ]; then
				umask 077
				export TZ=Asia/Tokyo XZ_OPT=-0 LC_ALL=C
				touch README.md
				git config tar.umask 0000
			fi
			sha256sum <"$(scripts/dist)"
		)
		[ -z "$sum" ] || is "$new" "$sum" "the second tarball"
		sum=$new
	done
	tar -tf "$WORK/one/build/raid-par-$VERSION.tar.xz" >"$WORK/list"
	for new in scripts/build-deb README.md drivers/md/raid-par/personality.c; do
		grep -qx "raid-par-$VERSION/$new" "$WORK/list" || fail "the tarball lacks $new"
	done
	echo >>"$WORK/one/README.md"
	try 1 "$WORK/one/scripts/dist"
	says "commit your changes first"
	echo "make dist: reproducible"
}

# put_together: run the packages' own rules with empty programs, and without debhelper. TREE/debian/PACKAGE has the files
# of each package then.
put_together() {
	local stub=$WORK/programs
	TREE=$WORK/raid-par-$VERSION
	mkdir -p "$stub"/share{,-tracer}/man/man8
	touch "$stub"/{paradm,raid-tracer} "$stub/share/man/man8/paradm.8" "$stub/share-tracer/man/man8/raid-tracer.8"
	"$TOP/scripts/build-deb" tree "$TREE" || fail "scripts/build-deb tree"
	make -s -C "$TREE" -f debian/rules override_dh_auto_install PROGRAMS="$stub" >"$WORK/rules.log" 2>&1 ||
		fail "debian/rules: $(tail -n 5 "$WORK/rules.log")"
	! grep -rn '#VERSION#' "$TREE/debian/"*.{postinst,postrm} || fail "a maintainer script has no version"
	# Debhelper leaves out what is in the directory of no package.
	is "$(find "$TREE/debian" -mindepth 1 -maxdepth 1 -type d -printf '%f\n' | sort | xargs)" \
		"man paradm raid-par-dkms raid-par-doc raid-tracer source" "directories below debian/"
	is "$(sed -n 's/^Package: //p' "$TREE/debian/control" | sort | xargs)" "paradm raid-par-dkms raid-par-doc raid-tracer" "packages of control"
}

# has PACKAGE FILE...
has() {
	local package=$1 file
	for file in "${@:2}"; do [ -e "$TREE/debian/$package/$file" ] || fail "$package lacks $file"; done
}

# objects: all that Kbuild builds the module of, a line each.
objects() {
	# shellcheck disable=SC2016  # make's
	printf 'include Kbuild\nall:\n\t@printf "%%s\\n" $(raid-par-y)\n' |
		make -s -C "$TREE/debian/raid-par-dkms/$1" -f - KBUILD_EXTMOD=. all 2>/dev/null
}

# Each file that a package's file names is in the package.
packages_are_complete() {
	local src=usr/src/raid-par-$VERSION file count=0
	put_together
	while read -r file; do
		has raid-par-dkms "$src/drivers/md/raid-par/${file%.o}.c"
		count=$((count + 1))
	done < <(objects "$src/drivers/md/raid-par")
	[ "$count" -gt 50 ] || fail "Kbuild names $count objects"
	# shellcheck disable=SC2016  # the script's
	while read -r file; do has raid-par-dkms "$src/dkms/$file"; done \
		< <(grep -oP '^\s*\$DKMS/\K[a-z-]+' "$TREE/debian/raid-par-dkms.postinst"; echo build-module; echo md-headers)
	has raid-par-dkms "$src"/scripts/{check-layout,lib.sh} usr/share/man/man4/md-par.4 etc/kernel/{,header_}postinst.d/00-raid-par
	while read -r file; do has paradm "$file"; done < <(grep -ohP '^ExecStart=\K\S+' "$TREE"/debian/paradm.*.service)
	has paradm etc/paradm/daemon.toml usr/share/initramfs-tools/hooks/raid-par \
		usr/lib/dracut/modules.d/90raid-par/module-setup.sh usr/share/man/man{8/{paradm,par-smart}.8,5/paradm-daemon.toml.5}
	has raid-tracer usr/sbin/raid-tracer usr/share/man/man8/raid-tracer.8
	# The module is in an initramfs. For paradm, which has the hook, dh_installinitramfs adds the trigger; lintian refuses a second one.
	grep -qx 'activate-noawait update-initramfs' "$TREE/debian/raid-par-dkms.triggers" || fail "raid-par-dkms does not have the initramfs made again"
	! grep -qs update-initramfs "$TREE/debian/paradm.triggers" || fail "paradm asks twice for an initramfs"
	has raid-par-doc usr/share/doc/raid-par-doc/Documentation/install.md
	# A later step, which needs debhelper's own files, adds the changelog.
	grep -q 'cp CHANGELOG.md debian/raid-par-doc/usr/share/doc/raid-par-doc/' "$TREE/debian/rules" &&
		cp "$TREE/CHANGELOG.md" "$TREE/debian/raid-par-doc/usr/share/doc/raid-par-doc/"
	links_lead_somewhere "$TREE/debian/raid-par-doc/usr/share/doc/raid-par-doc"
	echo "packages: complete, the module of $count objects"
}

# Whoever finds a fault has to reach somebody who has worked on this tree.
maintainer_is_reached() {
	local usual
	usual=$(unset DEBEMAIL DEBFULLNAME; maintainer)
	[ -n "$(git -C "$TOP" log -1 -F --author="$usual" --format=%h)" ] || fail "$usual, of packaging/debian/control, has written nothing here"
	is "$(DEBEMAIL=me@here.example DEBFULLNAME='My Name' maintainer)" 'My Name <me@here.example>' "the maintainer by DEBEMAIL"
	is "$(unset DEBFULLNAME; DEBEMAIL=me@here.example maintainer)" "${usual% <*} <me@here.example>" "the maintainer by DEBEMAIL alone"
	is "$(sed -n 's/^Maintainer: //p' "$TREE/debian/control")" "$(maintainer)" "the maintainer of the packages"
	grep -qF " -- $(maintainer)  " "$TREE/debian/changelog" || fail "the changelog is of another maintainer"
	echo "maintainer: $usual"
}

# links_lead_somewhere DIR: each link of its documents is to a file in it, or to the web.
links_lead_somewhere() {
	/usr/bin/python3 - "$1" <<-'END'
		import pathlib, re, sys
		dead = []
		for page in pathlib.Path(sys.argv[1]).rglob("*.md"):
		    for link in re.findall(r"\]\(([^)]+)\)", page.read_text()):
		        path = link.split("#")[0].strip()
		        if path and not path.startswith("http") and not (page.parent / path).exists():
		            dead.append(f"{page.name}: {link}")
		sys.exit("dead links: " + "; ".join(dead) if dead else 0)
	END
}

# mdadm_version BASE: of the patched package.
mdadm_version() {
	# shellcheck disable=SC2016  # for the other shell
	bash -c '. <(sed "/^main /d" "$0"); PAR_VERSION=$1; mdadm_version "$2"' "$TOP/scripts/build-deb" "$VERSION" "$1"
}

# in_order VERSION...: dpkg takes each for older than the next.
in_order() {
	while [ $# -gt 1 ]; do
		dpkg --compare-versions "$1" lt "$2" || fail "mdadm $1 is not older than $2"
		shift
	done
}

# Debian 13's mdadm removes the cron jobs and the init script of versions before 4.2+20230227-1~.
mdadm_versions() {
	in_order 4.2-5 "$(mdadm_version 4.2-5)" '4.2+20230227-1~' 4.4-11+deb13u1 "$(mdadm_version 4.4-11+deb13u1)" 4.5-1
	echo "mdadm: $(mdadm_version 4.2-5) and $(mdadm_version 4.4-11+deb13u1)"
}

# The limit for the number of commands in the guide.
few_commands() {
	local number count
	for number in 12 13; do
		count=$(awk -v s="## Debian $number" '/^## / { i = ($0 == s) } i && /^    /' "$TOP/Documentation/install.md" | wc -l)
		[ "$count" -gt 4 ] && [ "$count" -le 12 ] || fail "the guide has $count commands for Debian $number"
	done
	# README has the same commands as the guide.
	is "$(awk '/^## / { i = ($0 == "## Installing") } i && /^    /' "$TOP/README.md")" \
		"$(awk '/^## / { i = ($0 == "## Debian 13") } i && /^    /' "$TOP/Documentation/install.md")" "the README's commands"
	echo "at most 12 commands, and the README has the same"
}

versions
conf_is_consistent
conf_depends_on_command
finds_headers
kernel_hook_says_what_is_missing
tells_of_secure_boot
packages_are_complete
maintainer_is_reached
mdadm_versions
few_commands
same_tarball
