#!/bin/bash
# The dkms of Debian 12 and of 13 build the module for kernels that have all it needs, pass over the others, and fail where they should.
# subject: build
set -euo pipefail
. "$(dirname "$0")/../../scripts/lib.sh"
. "$(dirname "$0")/../../scripts/apt.sh"

# Debian's own dkms runs in a directory, with kernels that consist of names and a build that only writes a file.
mkdir -p "$BUILD"
WORK=$(mktemp -d "$BUILD/dkms.XXXX")
trap 'rm -rf "$WORK"' EXIT
VERSION=$(project_version)
MODULES=$WORK/lib/modules
SOURCE=$WORK/usr/src/raid-par-$VERSION

# Kernels: with all that is needed, without md's headers, of another series, and headers without the kernel.
HERE=6.12.9-amd64 BARE=6.12.7-amd64 OTHER=6.1.0-40-amd64 ALONE=6.12.8-amd64

fail() { echo "FAILED: dkms of $SUITE: $*"; exit 1; }

fetch() {
	update_suite "$SUITE" && try_apt "$1/log" download_deb "$SUITE" "$1" dkms ||
		unavailable "cannot fetch dkms of $SUITE: $REASON"
	dpkg-deb -x "$1"/dkms_*.deb "$1"
}

# The package's directory, with the paths of this test.
make_source() {
	mkdir -p "$SOURCE"
	cp -r "$TOP/packaging/dkms" "$SOURCE/"
	sed "s,/lib/modules,$MODULES,; s,/usr/src,$WORK/usr/src,; s,#MODULE_VERSION#,$VERSION," \
		"$TOP/packaging/dkms/dkms.conf" >"$SOURCE/dkms.conf"
	cat >"$SOURCE/dkms/build-module" <<-'END'
		mkdir -p drivers/md/raid-par && dkms/md-headers "$1" "$2" && gcc -x c -c -o drivers/md/raid-par/raid-par.ko /dev/null
	END
	printf '#!/bin/sh\n' >"$WORK/bin/depmod"
	cat >"$WORK/bin/dkms" <<-END
		#!/bin/sh
		exec bash $PROGRAM --dkmstree $WORK/var/lib/dkms --sourcetree $WORK/usr/src --installtree $MODULES "\$@"
	END
	chmod +x "$WORK"/bin/*
}

make_kernels() {
	mkdir -p "$MODULES"/{$HERE,$BARE,$OTHER,$ALONE}/build/include "$MODULES"/{$HERE,$BARE,$OTHER}/kernel
	mkdir -p "$MODULES/$HERE/build/drivers/md"
	touch "$MODULES/$HERE/build/drivers/md"/{md,raid5}.h
}

dkms() { PATH=$WORK/bin:$PATH "$WORK/bin/dkms" "$@" >"$WORK/log" 2>&1; }

# ends STATUS COMMAND KERNEL
ends() {
	local wanted=$1 command=$2 kernel=$3 status=0 module=()
	[ "$command" = autoinstall ] || module=(-m raid-par -v "$VERSION")
	dkms "$command" "${module[@]}" -k "$kernel" --kernelsourcedir "$MODULES/$kernel/build" || status=$?
	[ "$status" = "$wanted" ] || fail "$command for $kernel ends with $status, not $wanted: $(tail -n 5 "$WORK/log")"
}

# What the packages of kernels run. dpkg does not configure a kernel for which this fails.
a_kernel_is_installed() {
	ends 0 autoinstall $HERE
	[ -f "$MODULES"/$HERE/updates/dkms/raid-par.ko ] || fail "no module for $HERE"
	ends 11 autoinstall $BARE
	ends 0 autoinstall $OTHER
	ends 0 autoinstall $ALONE
}

# What common.postinst runs when the package is installed: it passes over a kernel with status 77, and stops at others.
package_is_installed() {
	ends 77 build $BARE
	ends 77 build $OTHER
	ends 77 build $ALONE
	ends 10 install $BARE
}

# dkms of Debian 12 forgets a module with the last kernel that is removed. The next one has it again by this package's hook.
last_kernel_is_removed() {
	dkms remove -m raid-par -v "$VERSION" -k $HERE || fail "remove: $(cat "$WORK/log")"
	[ ! -e "$MODULES"/$HERE/updates/dkms/raid-par.ko ] || fail "the module of $HERE was not removed"
	PATH=$WORK/bin:$PATH RAIDPAR_ROOT=$WORK "$SOURCE/dkms/kernel-hook" $HERE >"$WORK/log" 2>&1 || fail "the hook: $(cat "$WORK/log")"
	ends 0 autoinstall $HERE
	[ -f "$MODULES"/$HERE/updates/dkms/raid-par.ko ] || fail "no module for $HERE after the last one was removed"
}

main() {
	[ "$(id -u)" = 0 ] || { echo "SKIP: dkms autoinstall needs root"; exit 77; }
	for SUITE in bookworm trixie; do
		cache_entry "$CACHE/dkms/$SUITE" fetch
		PROGRAM=$CACHE/dkms/$SUITE/usr/sbin/dkms
		rm -rf "${WORK:?}"/*
		mkdir -p "$WORK"/{bin,var/lib/dkms}
		make_source
		make_kernels
		dkms add -m raid-par -v "$VERSION" || fail "add: $(cat "$WORK/log")"
		package_is_installed
		a_kernel_is_installed
		last_kernel_is_removed
		echo "dkms of $SUITE: builds, passes over and fails as it should"
	done
}

main
