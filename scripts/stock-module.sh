# shellcheck shell=bash
# The part of build-module for Debian's own kernels. Modules are compiled in the Debian of
# scripts/in-root, by the compiler that the kernel's headers name. To be sourced; OBJ is the
# output of scripts/stock-kernel.

in_root() { "$TOP/scripts/in-root" --layer "$OBJ" --write "$DIR" -- "$@"; }

# compile_stock DIRECTORY [MD-HEADERS]: compile as a user would, except that warnings are errors.
compile_stock() {
	local dir=$DIR/src/$1 md=${2:-/usr/src/linux-md}
	in_root make -C "/lib/modules/$(cat "$OBJ/.release")/build" M="$dir" KCFLAGS=-Werror \
		par-md="$md" -j"$(nproc)" modules || return
	[ ! -f "$dir/raid-par.ko" ] || in_root "$TOP/scripts/check-layout" "$dir/raid-par.ko"
}

# Run depmod over these modules and the kernel's here, once: it is slow in a machine without KVM.
index_stock() {
	# shellcheck disable=SC2016  # for the other shell
	in_root bash -ec 'mkdir "/lib/modules/$1/extra"
		find "$2/src" -name "*.ko" -exec cp -t "/lib/modules/$1/extra" {} +
		depmod "$1"
		cp -r "/lib/modules/$1"/{extra,modules.*} "$3"' - "$@"
}

install_stock() {
	local release lib
	release=$(cat "$OBJ/.release")
	lib=$DIR/layer/usr/lib/modules/$release
	rm -rf "$DIR/layer"
	mkdir -p "$lib"
	index_stock "$release" "$DIR" "$lib"
	touch "$DIR/.installed"
}
