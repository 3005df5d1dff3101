#!/bin/bash
# Spindle disks with mechanics take the time and the energy that theory predicts.
# machine: --debug --time-travel
# needs: raid-tracer
. "$(dirname "$0")/../tools/par.sh"

LIST=$MACHINE_TMP/list

get() { read -r GOT <"$SPINDLES/spin0/$1"; }

# replay [OPTION...]: send the list to spin0. TOOK is the time in ns, and MEAN and HALF those in which a request and half of
# them ended.
declare -A REPORT
replay() {
	local said
	said=$("$TRACER" replay "$LIST" /dev/spin0 --destroy "$@")
	TOOK=$(awk '$1 == "seconds" { printf "%.0f", 1e9 * $2 }' <<<"$said")
	read -r MEAN HALF < <(awk '/ms: mean/ && $1 != "late" { printf "%.0f %.0f\n", 1e6 * $5, 1e6 * $7 }' <<<"$said")
}

# random OPTION...: make a list.
random() { "$TRACER" trace synth random --span "$(blockdev --getsize64 /dev/spin0)" "$@" -o "$LIST"; }
one_by_one() { random "$@"; replay --at-once --depth 1; }

report() {
	local name value
	while read -r name value; do REPORT[$name]=$value; done <"$SPINDLES/spin0/report"
}

# about GOT WANT PERMILLE WHAT
about() {
	note "$4: $1, in theory $2"
	assert_le $((($1 - $2) * 1000)) $(($2 * $3)) "$4, above theory"
	assert_le $((($2 - $1) * 1000)) $(($2 * $3)) "$4, below theory"
}

# theory: set THEORY to the ns of a random read of 4 KiB, at the mean of the outer and the inner rate.
theory() {
	local turn seek overhead outer inner
	get rpm; turn=$((60000000000 / GOT))
	get seek_avg_us; seek=$((GOT * 1000))
	get overhead_us; overhead=$((GOT * 1000))
	get outer_kib; outer=$GOT
	get inner_kib; inner=$GOT
	THEORY=$((overhead + seek + turn / 2 + 4 * 1000000000 * 2 / (outer + inner)))
}

# joules: the energy in the report is the sum of its times multiplied by the watts, to the microjoule.
joules() {
	local sum=0 state mw
	report
	for state in active idle standby spin_up spin_down; do
		get "${state}_mw"; mw=$GOT
		sum=$((sum + mw * REPORT[${state}_ns]))
	done
	assert_eq "${REPORT[energy_uj]}" $((sum / 1000000)) "microjoules"
}

# run_of MIB: print reads of 1 MiB, from that MiB of the disk on.
run_of() { local i; for ((i = 0; i < 200; i++)); do echo "0 r $((($1 + i) * 2048)) 1048576"; done; }

declare -A SIZE=([nearline]=16000900661248 [nas]=8001563222016 [server36]=36703918080)
for preset in nearline nas server36; do
	note "$preset"
	mkspindles 1 "${SIZE[$preset]}" preset="$preset" spin_up_ms=0
	get size; mib=$GOT
	echo 0 >"$SPINDLES/spin0/report"

	one_by_one --requests 3000
	theory
	about "$MEAN" "$THEORY" 20 "ns of a random read"
	joules

	# Enough reads that the first seek does not count.
	one_by_one --requests 400 --size 1M --sequential
	get outer_kib
	about $((400 * 1024 * 1000000000 / TOOK)) "$GOT" 20 "KiB/s of the outer edge"
	run_of $((mib - 200)) >"$LIST"
	replay
	get inner_kib
	about $((200 * 1024 * 1000000000 / TOOK)) "$GOT" 20 "KiB/s of the inner edge"

	nap 10
	echo 0 >"$SPINDLES/spin0/report"
	nap 3600
	report
	assert_eq "${REPORT[active_ns]}" 0 "ns active in an idle hour"
	get idle_mw
	assert_eq $((REPORT[energy_uj] / 1000000)) $((GOT * REPORT[idle_ns] / 1000000000000)) "joules of an idle hour"
	assert_le 3600 $((REPORT[idle_ns] / 1000000000)) "seconds"
	joules
	rmdisks
done

note "a queue"
mkspindles 1 16000900661248 preset=nearline
for ((i = 0; i < 1000; i++)); do
	echo "0 r $(((RANDOM * 32768 + RANDOM) * 24)) 4096"
done >"$LIST"
theory
replay
note "$((TOOK / 1000)) ns each at a depth of 32"
assert_le $((TOOK / 1000)) $((THEORY / 2)) "ns of each of many reads"
# All requests wait at once, 32 of them in the disk. None of these waits longer than max_age_ms plus the older ones.
report
assert_le 900 "${REPORT[seeks]}" "seeks"

note "writes are in the cache at once, a flush takes the time of writing them back"
random --requests 500 --reads 0 --seconds 1
replay
assert_le "$HALF" 250000 "ns of a write"
get dirty
assert_le 2000 "$GOT" "dirty sectors"
echo "0 f 0 0" >"$LIST"
replay
assert_le 1000000000 "$TOOK" "ns of a flush"
get dirty
assert_eq "$GOT" 0 "dirty sectors after a flush"
random --requests 500 --reads 0 --seconds 1 --seed 3
replay
nap 30
get dirty
assert_eq "$GOT" 0 "dirty sectors of an idle disk"

note "a full cache is as slow as the platter"
# Each further one waits for half a turn at least, in any order of service.
one_by_one --requests 6000 --reads 0 --seed 4
assert_le 7900000000 "$TOOK" "ns of 6000 writes, of which 4096 fit"
joules
rmdisks

note "without reading ahead, the next sector has just passed the head"
mkspindles 1 16000900661248 preset=nearline readahead_kib=0
one_by_one --requests 101 --sequential
about $((TOOK / 100)) 8333333 10 "ns of each of neighbouring reads"
rmdisks

note "impossible disks"
for bad in seek_avg_us=20000 seek_full_us=1 inner_kib=900000; do
	mkdir "$SPINDLES/spin0"
	for setting in preset=nearline "$bad"; do
		echo "${setting#*=}" >"$SPINDLES/spin0/${setting%%=*}"
	done
	refused tee "$SPINDLES/spin0/online" <<<1
	assert_match "$REFUSAL" "Invalid argument" "$bad"
	rmdir "$SPINDLES/spin0"
done
