#!/bin/bash
# An hour of requests to a disk, raid5 and par, replayed in two machines in virtual time, takes the same joules and the same nanoseconds for each.
# needs: 6.12-debug raid-tracer
set -euo pipefail
TOP=$(cd "$(dirname "$0")/../.." && pwd)

# replay NAME DEVICE REQUESTS READS SEED: replay an hour; keep the latencies and the disks' reports. Nothing is printed: a
# console that has no room for a line interrupts the machine when the host likes.
replay() {
	local out=$RAIDPAR_OUT/$1 list=${TMPDIR:-/tmp}/list
	"$TRACER" trace synth random --seconds 3600 --requests "$3" --reads "$4" --seed "$5" \
		--span "$(blockdev --getsize64 "/dev/$2")" -o "$list"
	"$TRACER" replay "$list" "/dev/$2" --destroy --rows "$out.latencies" >"$out.said" 2>"$out.progress"
	cat "$SPINDLES"/spin*/report >"$out.report"
}

inside() {
	. "$TOP/tests/machine/lib.sh"

	# A disk that sleeps after 20 idle seconds.
	mkspindles 1 16000900661248 preset=nearline
	echo 20000 >/sys/block/spin0/device/power/autosuspend_delay_ms
	echo auto >/sys/block/spin0/device/power/control
	replay disk spin0 200 70 1
	rmdisks

	mkspindles 3 1G preset=nas
	mdadm --create /dev/md9 --quiet --run --level=5 --raid-devices=3 --assume-clean --bitmap=none "${DEVS[@]}"
	replay raid5 md9 1500 60 7
	mdadm --stop --quiet /dev/md9
	rmdisks

	# par in the low gear. All rows are written, because par reads unwritten rows without a request to a disk.
	mkspindles 5 64M preset=nas
	mdadm --create /dev/md9 --quiet --run --level=par --layout=3,5 --image-share=100 --chunk=64 --raid-devices=5 "${DEVS[@]}"
	dd if=/dev/zero of=/dev/md9 bs=1M oflag=direct status=none || true
	echo 3 >/sys/block/md9/md/par/gear
	sleep 100
	replay par md9 1500 60 7
	cat /sys/block/md9/md/par/{gear,member4/power_state} >"$RAIDPAR_OUT/par.gear"
	mdadm --stop --quiet /dev/md9
	rmdisks
}

main() {
	local dir name rc=0
	dir=$(mktemp -d "${TMPDIR:-/tmp}/raid-par-twice.XXXXXX")
	# shellcheck disable=SC2064  # this directory
	trap "rm -rf '$dir'" EXIT
	for name in first second; do
		mkdir "$dir/$name"
		RAIDPAR_OUT=$dir/$name "$TOP/tests/machine/run" --debug --time-travel --mem 512M -- \
			"$TOP/tests/replay/twice.sh" inside || return
	done
	for name in disk raid5 par; do
		echo "# $name: $(cat "$dir/first/$name.said")"
		tr '\n' ' ' <"$dir/first/$name.report"
		echo
	done
	[ "$(tr '\n' ' ' <"$dir/first/par.gear")" = "3 asleep " ] || { echo "FAILED: par's sleeper did not sleep"; rc=1; }
	grep -q '^starts [1-9]' "$dir/first/disk.report" || { echo "FAILED: the disk never slept"; rc=1; }
	diff -r "$dir/first" "$dir/second" >"$dir/diff" || { head -n 20 "$dir/diff"; echo "FAILED: not the same"; rc=1; }
	return "$rc"
}

if [ "${1:-}" = inside ]; then inside; else main; fi
