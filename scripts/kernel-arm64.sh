# shellcheck shell=bash
# The part of build-kernel for arm64: cross-compiled, and as small as possible, because the
# machine is emulated. To be sourced; OBJ, SRC and JOBS are build-kernel's.

kbuild_arm64() {
	make -C "$SRC" O="$OBJ" ARCH=arm64 CROSS_COMPILE=aarch64-linux-gnu- \
		KBUILD_BUILD_USER=raid-par KBUILD_BUILD_HOST=raid-par "$@"
}

# Unlike with olddefconfig, options that are not named are off.
configure_arm64() {
	cp "$CONFIGS/arm64.config" "$OBJ/wanted.config"
	kbuild_arm64 KCONFIG_ALLCONFIG="$OBJ/wanted.config" allnoconfig && check_config "$OBJ/wanted.config"
}

compile_arm64() { configure_arm64 && kbuild_arm64 -j"$JOBS" Image modules; }
