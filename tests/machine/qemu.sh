# shellcheck shell=bash
# Test machines with Debian's own kernels (--kernel stock-6.12, stock-7.2): virtme-ng starts QEMU in
# the Debian of scripts/in-root, whose files are also the machine's. The same tests/machine/init runs
# in the machine, and the same contract holds. To be sourced by tests/machine/run.

is_stock() { [[ $KERNEL == stock-* ]]; }
is_qemu() { is_stock || is_arm64; }

parse_qemu() {
	[[ $KERNEL =~ ^(stock-(6\.12|7\.2)|6\.12-arm64)$ ]] ||
		usage_error "machine/run: no such kernel: $KERNEL (6.12-arm64, stock-6.12 or stock-7.2)"
	[ -z "$FLAVOUR$TIME_TRAVEL$DEBIAN" ] ||
		usage_error "machine/run: $KERNEL runs under QEMU: it has no --debug, no --time-travel and no --debian"
}

build_stock() {
	LAYER=$("$TOP/scripts/stock-kernel" "${KERNEL#stock-}")
	RELEASE=$(cat "$LAYER/.release")
	"$TOP/scripts/debian-root" >/dev/null
	[ -z "$WITH_MODULE" ] || MODULES=$("$TOP/scripts/build-module" "$KERNEL")
}

# /dev/kvm may exist although the processor does not support virtualization; such a KVM does not run
# every kernel. RAIDPAR_NO_KVM disables KVM.
kvm_works() {
	[ -z "${RAIDPAR_NO_KVM:-}" ] && [ -w /dev/kvm ] &&
		grep -qE '^flags.* (vmx|svm)( |$)' /proc/cpuinfo
}

# The command's output has separate channels, as descriptors 3 and 4 do. virtme-ng's output of the
# script is the kernel log and QEMU's messages. On a terminal, the machine's terminal is the serial
# line, and the kernel log goes to another line.
# no_timer_check: an emulated timer that is late on a busy host is not broken. With --icount, hours of
# the machine's time may pass while it waits for the host, so hung tasks are not reported, and the
# kernel's address must not influence the time. QEMU's own options have to be last.
stock_options() {
	local cpus=2
	[ -z "$ICOUNT" ] || cpus=1
	VIRTME=(--mods=use --kimg "/usr/lib/modules/$RELEASE/vmlinuz" --root / --rw
		--memory "$MEM" --cpus "$cpus" --disable-microvm
		-a ignore_loglevel -a panic=-1 -a audit=0 -a apparmor=0 -a mitigations=off
		-a no_timer_check
		-a null_blk.nr_devices=0 -a "RAIDPAR_CTL=$CTL")
	[ -z "$ICOUNT" ] && kvm_works || VIRTME+=(--disable-kvm)
	[ -z "$ICOUNT" ] || VIRTME+=(-a nokaslr -a sysctl.kernel.hung_task_timeout_secs=0)
	if [ -n "$TTY" ]; then
		VIRTME+=(--disable-monitor --qemu-opts -no-reboot)
	else
		VIRTME+=(--show-boot-console --script-sh : --qemu-opts -no-reboot -device virtio-serial-pci
			-chardev 'file,id=out,path=/proc/self/fd/3' -device 'virtserialport,chardev=out,name=raidpar.out'
			-device virtio-serial-pci
			-chardev 'file,id=err,path=/proc/self/fd/4' -device 'virtserialport,chardev=err,name=raidpar.err')
	fi
	[ -z "$ICOUNT" ] || VIRTME+=(-icount 'shift=1,sleep=off')
}

# QEMU itself fails occasionally while the machine's kernel sets up its devices ("iotlb_to_section:
# Assertion … failed"). The command has not run then.
broke_off() {
	is_qemu && [ ! -s "$CTL/status" ] && grep -q '^qemu-system-.*: Assertion .* failed' "$LOG" &&
		! grep -q 'Run /.* as init process' "$LOG"
}

# virtme-ng starts its own init, or a faster one in the file beside it, which is replaced by
# tests/machine/init. All processes end with the namespace, so none remains when the machine ends.
boot_stock() {
	local limit=() out=/dev/stdout in=/dev/null
	stock_options
	[ "$TIMEOUT" = 0 ] || limit=(timeout --foreground -s KILL $((TIMEOUT * RAIDPAR_SLOW)))
	[ -z "$TTY" ] || { in=/dev/tty; out=/dev/tty; }
	# shellcheck disable=SC2016  # for the other shell
	exec "$TOP/scripts/in-root" --layer "$LAYER" ${MODULES:+--layer "$MODULES/layer"} \
		--read "$(realpath "$MDADM_DIR")" --write "$OUT" -- \
		bash -c 'guest=/usr/lib/python3/dist-packages/virtme/guest/bin
			mkdir -p "$guest" && ln -s "$0" "$guest/virtme-ng-init" && exec "$@"' \
		"$TOP/tests/machine/init" "${limit[@]}" virtme-run "${VIRTME[@]}" <"$in" >"$out"
}
