#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Put the module for md arrays of level par into an initramfs of dracut's, where its own
# module mdraid puts mdadm. To be installed in /usr/lib/dracut/modules.d/90raid-par.
# shellcheck disable=SC2154  # dracut's variables

# Included wherever mdraid is: with a root on md, or in an image for any host.
check() {
	require_binaries mdadm || return 1
	[[ $hostonly ]] || [[ $mount_needs ]] || return 0
	local type
	for type in "${host_fs_types[@]}"; do [[ $type != linux_raid_member ]] || return 0; done
	return 255
}

depends() { echo mdraid; }

# Called for each kernel, and not every kernel needs to have the module.
installkernel() {
	! modinfo -k "$kernel" raid-par >/dev/null 2>&1 || hostonly='' instmods raid-par
}

install() { :; }
