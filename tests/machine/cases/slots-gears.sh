#!/bin/bash
# With three gears and images of a share the mover's copies are neither uses nor misses of the lower band: a use of a slot is one of the runs in which it lies. Data goes past the log or from it only to images that can be written in all bands.
# plain: yes
# machine: --debug --time-travel
. "$(dirname "$0")/../tools/policy.sh"

# write_all: write all of the array. read_run RUN: read all data of a run of the home region, which are 7 MiB of the array.
write_all() { dd if=/dev/urandom of="/dev/$MD" bs=1M oflag=direct conv=notrunc 2>/dev/null || true; }
read_run() { dd if="/dev/$MD" of=/dev/null bs=7M count=1 iflag=direct skip="$1" status=none; }

mkspindles 8 64M preset=nas
create_shared 10 3,5,8 --chunk=64
write_all
settle
quick
# As many spin-ups as are wanted: only the energy counts.
for d in 3 4 5 6 7; do set_member $d rated_cycles 10000000; set_member $d wanted_years 1; done
nap 600

note "copies to images"
shift_to 3
shift_to 8
nap 600
write_all
settle
nap 600
uses=$(par slot_uses)
copied=$(par propagated_bytes)
shift_to 3
shift_to 8
[ "$(par propagated_bytes)" -gt "$copied" ] || fail "nothing was copied"
assert_eq "$(par slot_uses)" "$uses" "uses of runs while the mover copies"

note "a shift of the policy"
nap 600
write_all
settle
nap 600
before=$(par shifts)
listen
set_par policy auto
gear_is 3 200
wait_asleep
heard 'decision DECISION=down .*ABOUT=3' 15
if grep -q REASON=misses "$MACHINE_TMP/events"; then
	cat "$MACHINE_TMP/events"
	fail "the copies of a shift down count as misses"
fi
shifts_are $((before + 1)) "of the policy alone"

note "a slot, and the runs in which it lies"
set_par policy manual
for _ in 1 2; do
	shift_to 8
	nap 600
	read_run 1
	shift_to 3
done
misses=$(par slot_misses)
read_run 1
assert_eq "$(par gear) $(par slot_misses)" "3 $misses" "gear and misses after a read of a run in use"
stop_par
rmdisks

# use RUN...: from now on these runs are in use, and no others.
use() {
	local run
	reassemble_par
	for _ in 1 2; do
		shift_to 8
		wait_for "/sys/block/$MD/md/par/log_used" 0 300
		nap 700
		for run; do read_run "$run"; done
		shift_to 3
	done
	misses=$(par slot_misses)
}

# write_runs RUN...: blocks of 4 KiB anywhere in these runs, and then nothing until the idle log has been drained.
write_runs() {
	python3 -c '
import mmap, os, random, sys
to, draw, block = os.open(sys.argv[1], os.O_RDWR | os.O_DIRECT), random.Random(5), mmap.mmap(-1, 4096)
for _ in range(250):
    os.pwrite(to, block, int(draw.choice(sys.argv[2:])) * 7 * 1048576 + draw.randrange(7 * 256) * 4096)' "/dev/$MD" "$@"
	nap 150
}

sleeps() { assert_eq "$(par gear) $(par slot_misses)" "3 $misses" "gear and misses after $1"; }

note "an image whose own place has none"
mkspindles 8 64M preset=nas seed=3
LOG=$((6 * 2048)) create_shared 10 3,5,8 --chunk=64
write_all
settle
use {1..8}
write_runs {1..8}
sleeps "the drain of an idle log"
for run in {1..8}; do dd if=/dev/zero of="/dev/$MD" bs=448k count=1 seek=$((16 * run)) oflag=direct conv=notrunc status=none; done
sleeps "whole stripes"
use 1
write_runs 1
assert_eq "$(par log_used)" 0 "log_used after the drain of a run with images in both bands"
sleeps "this drain"
stop_par
