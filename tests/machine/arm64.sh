# shellcheck shell=bash
# The test machine for arm64 with pages of 64 KiB (--kernel 6.12-arm64): QEMU, with the files of
# scripts/arm64-root. The same tests/machine/init runs in it, and the same contract holds, except
# that the machine has no terminal. To be sourced by tests/machine/run.

is_arm64() { [[ $KERNEL == *-arm64 ]]; }

build_arm64() {
	"$TOP/scripts/setup" gcc-aarch64-linux-gnu libc6-dev-arm64-cross qemu-system-arm
	ARM64_ROOT=$("$TOP/scripts/arm64-root")
	OBJ=$("$TOP/scripts/build-kernel" "$KERNEL")
	# shellcheck disable=SC2034  # write_orders takes it by name
	[ -z "$WITH_MODULE" ] || MODULES=$("$TOP/scripts/build-module" "$KERNEL")
}

# The kernel log goes to the serial line, the command's output to separate channels, as descriptors
# 3 and 4 do. The emulated processor supports pages of 64 KiB, and lacks features of newer ones that
# take long to emulate.
arm64_options() {
	# shellcheck disable=SC2054  # commas of the kernel's own
	local append=(root=root rootfstype=9p rootflags=trans=virtio,msize=262144,cache=loose rw
		"init=$TOP/tests/machine/init" "RAIDPAR_CTL=$CTL" ignore_loglevel panic=-1 null_blk.nr_devices=0)
	# shellcheck disable=SC2054  # QEMU's own commas
	QEMU=(-machine virt -cpu cortex-a57 -smp 2 -m "$MEM" -no-reboot -nic none
		-display none -monitor none -serial stdio -kernel "$OBJ/arch/arm64/boot/Image"
		-append "${append[*]}"
		-device virtio-9p-device,fsdev=root,mount_tag=root
		-device virtio-serial-device
		-chardev file,id=out,path=/proc/self/fd/3 -device virtserialport,chardev=out,name=raidpar.out
		-device virtio-serial-device
		-chardev file,id=err,path=/proc/self/fd/4 -device virtserialport,chardev=err,name=raidpar.err)
}

# All processes end with in-root's namespace, so none remains when the machine ends.
boot_arm64() {
	local limit=()
	arm64_options
	[ "$TIMEOUT" = 0 ] || limit=(timeout --foreground -s KILL $((TIMEOUT * RAIDPAR_SLOW)))
	# shellcheck disable=SC2016  # for the other shell
	exec "$TOP/scripts/in-root" --beside "$ARM64_ROOT" --read "$(realpath "$MDADM_DIR")" --write "$OUT" -- \
		bash -c 'exec "$@" -fsdev "local,id=root,path=$ROOT,security_model=none,multidevs=remap"' boot \
		"${limit[@]}" qemu-system-aarch64 "${QEMU[@]}" </dev/null
}
