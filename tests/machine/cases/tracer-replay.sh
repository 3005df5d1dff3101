#!/bin/bash
# raid-tracer sends each request at its time to the microsecond, and its latencies are those that the kernel traces; requests to a disk that starts delay no others; a flush is a part of its write; a sector that cannot be read is an error.
# subject: tracer
# machine: --debug --time-travel
# needs: raid-tracer
. "$(dirname "$0")/../tools/par.sh"

list=$MACHINE_TMP/list rows=$MACHINE_TMP/rows said=$MACHINE_TMP/said traced=$MACHINE_TMP/traced

# replay DEVICE OPTION...: replay the list, and keep what raid-tracer prints.
replay() {
	local status=0
	"$TRACER" replay "$list" "/dev/$1" --rows "$rows" "${@:2}" >"$said" || status=$?
	note "$(cat "$said")"
	return "$status"
}

# field NAME: the words after NAME in what raid-tracer has printed.
field() { sed -n "s/^$1 *//p" "$said"; }

# in_time: no request was sent late. The clock of the machine advances by 256 ns each time that it is read.
in_time() { assert_le "$(awk '$1 == "late" { print int(1000 * $NF) }' "$said")" 4 "most µs late"; }

mountpoint -q /sys/kernel/tracing || mount -t tracefs tracefs /sys/kernel/tracing

# exactly DEVICE [ends]: the kernel traces requests to the device at the times of the list, and their ends at those of the
# rows. An array ends a request that it has split under another sector.
# Events are in µs. No two requests have the same sector; flushes have none. Lines: event, seconds, operation, sector.
exactly() {
	local events=/sys/kernel/tracing/instances/replay number event
	number=$(tr : , <"/sys/block/$1/dev")
	mkdir "$events"
	echo mono >"$events/trace_clock"
	for event in block_bio_queue block_rq_complete; do echo 1 >"$events/events/block/$event/enable"; done
	replay "$1" --destroy
	assert_eq "$(field requests) $(field errors)" "1000 0" "requests and errors"
	in_time
	cut -d' ' -f1-4 "$rows" | cmp - "$list"
	awk -v number="$number" '/ block_/ {
			for (i = 1; $i !~ /^block_/; i++)
				;
			sub(":", "", $(i - 1))
			if ($(i + 1) == number) print $i, $(i - 1), $(i + 2), $(i + 3) == "()" ? $(i + 4) : $(i + 3)
		}' "$events/trace" >"$traced"
	awk -v ends="${2:-}" 'FNR == NR && $3 ~ /^F/ { if (/queue/) flushes[m++] = 1e6 * $2; next }
		FNR == NR { if (/queue/) queued[$4] = 1e6 * $2; else done[$4] = 1e6 * $2; next }
		FNR == 1 { start = queued[$3] }
		{
			at = $2 == "f" ? flushes[n++] : queued[$3]
			late = at - start - $1 / 1000
			off = ends && $2 != "f" ? done[$3] - at + late - $5 / 1000 : 0
			if (late > 4 || late < -4 || off > 8 || off < -8) {
				print "sent " late " µs late, latency differs by " off " µs: " $0; wrong++
			}
		}
		END { exit wrong > 0 || n < 10 }' "$traced" "$rows"
	echo 0 >"$events/events/enable"
	rmdir "$events"
}

note "a thousand requests in 30 s, of which some meet"
awk 'BEGIN { srand(7); print "0 r 800 4096"
	for (i = 1; i < 1000; i++) {
		at += 1 + int(rand() * 6e7)
		if (rand() < 0.02) printf "%.0f f 0 0\n", at
		else printf "%.0f %s %.0f %d\n", at, rand() < 0.3 ? "w" : "r", int(rand() * 3e10), 4096 * (1 + int(rand() * 16))
	} }' >"$list"
mkspindles 3 16000900661248 preset=nearline
# Whoever sends a write to an array that was idle waits for its superblocks.
mdadm --create /dev/md9 --quiet --run --level=5 --raid-devices=3 --assume-clean --bitmap=none "${DEVS[@]}"
exactly md9
mdadm --stop --quiet /dev/md9
exactly spin0 ends

note "requests to a disk that starts, and to another one"
for word in 20000:autosuspend_delay_ms auto:control; do
	echo "${word%:*}" >"/sys/block/spin0/device/power/${word#*:}"
done
half=$(($(blockdev --getsz /dev/spin0)))
printf '%s\n' "0 $half linear /dev/spin0 0" "$half $half linear /dev/spin1 0" | dmsetup create two --noudevsync
dmsetup mknodes two
{
	echo "0 r 0 4096"
	for ((i = 0; i < 40; i++)); do echo "100000000000 r $((8000 + i * 80)) 4096"; done
	# The kernel has a thread of its own send a request of several bios, as it does with those to the disk that starts.
	echo "101000000000 r $half 2097152"
} >"$list"
replay mapper/two
in_time
# All of them wait for the start, but the last one.
awk 'NR > 1 { n += $1 + $5 > 119e9 && $1 + $5 < 122e9; last = $5 } END { print n, last; exit n != 40 || last > 1e8 }' "$rows"
dmsetup remove two

note "a write and its flush"
awk 'BEGIN { for (i = 0; i < 32; i++) printf "%.0f w %d 4096\n", i * 5e8, i * 80000 }' >"$list"
replay spin1 --destroy
assert_le "$(awk '$5 > most { most = $5 } END { print most }' "$rows")" 1000000 "ns of a write, into the disk's cache"
flushes() { awk '$1 == "flushes" { print $2 }' "$SPINDLES/spin1/report"; }
before=$(flushes)
replay spin1 --destroy --fsync
assert_le 1000000 "$(sort -n -k 5 "$rows" | awk 'NR == 1 { print $5 }')" "ns of a write that a flush follows"
assert_eq $(($(flushes) - before)) 32 "flushes"
assert_eq "$(field requests)$(field flushes)" 32 "requests, of which no flush is one"

note "sectors that cannot be read"
dmsetup create bad --noudevsync --table "0 2048 error"
dmsetup mknodes bad
printf '%s\n' "0 r 0 4096" "1000000 r 8 4096" >"$list"
status=0
replay mapper/bad 2>"$said.err" || status=$?
assert_eq "$status" 1 "exit code: $(cat "$said.err")"
assert_eq "$(field requests) $(field errors)" "0 2" "requests and errors"
grep -q '2 requests failed; the first: r at sector 0' "$said.err"
assert_eq "$(cut -d' ' -f6 "$rows" | xargs)" "5 5" "errors in the rows"
dmsetup remove bad
