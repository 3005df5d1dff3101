#!/bin/bash
# Arrays work with pages of 64 KiB: the story, first writes of any size, a write log, and arrays that move to such a kernel and back.
# subject: shape
# rare: yes
# timeout: 1200
#
# On emulated arm64, with KASAN. The test installs the packages that other tests do not need.
set -euo pipefail
. "$(dirname "$0")/../../scripts/lib.sh"

KERNEL=6.12-arm64

skip() { printf 'SKIP: %s\n' "$*"; exit 77; }

[ "$(id -u)" = 0 ] || skip "an emulated machine needs root"
"$TOP/scripts/setup" gcc-aarch64-linux-gnu libc6-dev-arm64-cross qemu-system-arm mmdebstrap ||
	skip "the packages that build and emulate arm64 are not available"
"$TOP/scripts/deb-source" --arch arm64 linux-source-6.12 >/dev/null || skip "the kernel's sources are not available"
"$TOP/scripts/arm64-root" >/dev/null || skip "the files of a Debian for arm64 are not available"

machine() { "$TOP/tests/machine/run" --kernel "$KERNEL" --mem 3G --timeout 1000 -- "$@"; }

cd "$TOP"
machine tests/machine/cases/story.sh

# shellcheck disable=SC2016  # for the machine
machine bash -euo pipefail -c '. tests/machine/tools/par.sh
	[ "$(getconf PAGESIZE)" = 65536 ] || fail "pages of $(getconf PAGESIZE) bytes"
	first_writes() { exercise 300; }
	with_par 3,5 24M first_writes --chunk=64
	with_par raid6:4,5,7 24M first_writes --chunk=64'

# The walk at assembly reads several blocks of the log to one page: all records are found, after a cut and after a stop.
# shellcheck disable=SC2016  # for the machine
machine bash -euo pipefail -c '. tests/machine/tools/par.sh
	. tests/machine/tools/log.sh
	mkspindles 5 64M
	create_logged 3,5 8 --chunk=64
	fill_twin
	shift_to 3
	write_some 1 100
	sync -d "/dev/$MD"
	power_cut 1
	assemble_par
	[ "$(par log_replayed)" -gt 0 ] || fail "nothing is replayed after a cut"
	same "after a cut"
	shift_to 3
	write_some 2 100
	reassemble_par
	[ "$(par log_replayed)" -gt 0 ] || fail "nothing is replayed after a stop"
	same "after a stop"
	stop_par'

MACHINE_TIMEOUT=1000 tests/host/other-kernel.sh "6.12 --debug" "$KERNEL --mem 3G"
