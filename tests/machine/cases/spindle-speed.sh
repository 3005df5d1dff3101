#!/bin/bash
# Spindle disks: rate_kib serialises all transfers of a disk, delay_us lets requests overtake each other.
. "$(dirname "$0")/../tools/par.sh"

# fio_ms OPTION...: print the milliseconds that a job on spin0 takes.
fio_ms() {
	fio --name=job --filename=/dev/spin0 --direct=1 --ioengine=libaio --output-format=json \
		--output="$MACHINE_TMP/fio" "$@"
	jq '[.jobs[].job_runtime] | max' "$MACHINE_TMP/fio"
}

# least_ms OPTION...: print the least of three tries, because of other load on the host.
least_ms() {
	local ms least=
	for _ in 1 2 3; do
		ms=$(fio_ms "$@")
		[ "${least:-$ms}" -lt "$ms" ] || least=$ms
	done
	echo "$least"
}

mkspindles 1 64M rate_kib=8192
# At once they would take 250 ms each.
note "8 MiB by four processes"
took=$(least_ms --rw=randrw --bs=64k --iodepth=8 --numjobs=4 --size=16M --io_size=2M)
assert_le 500 "$took" "milliseconds"
assert_le "$took" 8000 "milliseconds"
rmdisks

note "100 requests that take up to 20 ms, one by one and 32 at a time"
mkspindles 1 64M delay_us=20000
alone=$(fio_ms --rw=randread --bs=4k --iodepth=1 --size=16M --number_ios=100)
together=$(least_ms --rw=randread --bs=4k --iodepth=32 --size=16M --number_ios=100)
note "$alone ms, $together ms"
assert_le 600 "$alone" "milliseconds"
assert_le "$together" $((alone / 3)) "milliseconds"

note "the same disk, quicker while it is in use"
echo 0 >"$SPINDLES/spin0/delay_us"
quick=$(least_ms --rw=randread --bs=4k --iodepth=1 --size=16M --number_ios=100)
assert_le "$quick" $((alone / 3)) "milliseconds"
rmdisks
