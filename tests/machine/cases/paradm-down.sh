#!/bin/bash
# paradm shows an array that was not started, one that the kernel has refused and one that is broken, with exit code 1 and the next command; each of them is also named as home.
# needs: paradm
. "$(dirname "$0")/../tools/paradm.sh"

# down PATTERN: all four commands say so, with exit code 1.
down() {
	local command
	for command in status explain doctor; do
		ask 1 "$command"
		assert_match "$SAID" "$1" "paradm $command"
	done
	ask 1 metrics
	assert_match "$SAID" "raidpar_array_health\{array=\"$MD\",health=\"$2\"\} 1" "paradm metrics"
}

mkdisks 5 256M
mdadm --create "/dev/$MD" --run --quiet --level=par --raid-devices=5 --layout=3,5 --name=home "${DEVS[@]}"
stop_par
for disk in "${DEVS[@]:0:3}"; do mdadm --incremental --quiet "$disk" || true; done
MD=$(sed -n 's/^\(md[0-9]*\) : inactive .*/\1/p' /proc/mdstat)
mkdir -p /dev/md
ln -sf "../$MD" /dev/md/home
down "$MD.*INACTIVE: it has not been started; 3 members were found" inactive
refuses 3 "$MD is inactive: .paradm status. says what to do" shift 3 home

note "the kernel refuses it"
! mdadm --run --quiet "/dev/$MD" || fail "3 of 5 members were started"
down "INACTIVE: the kernel has refused to start it; 3 of 5 members were found" inactive

note "a member has failed, and another one more than there are parities"
mdadm --stop --quiet "/dev/$MD"
mdadm --assemble --quiet "/dev/$MD" "${DEVS[@]}"
ln -sf "../$MD" /dev/md/home
says "^$MD \(home\): raid5:3,5 of " status home
mdadm --quiet "/dev/$MD" --fail "${DEVS[3]}"
ask 1 status
assert_match "$SAID" "1 of 5 members missing or not rebuilt, failed: ${DEVS[3]##*/}" "paradm status"
assert_match "$SAID" "action: .mdadm /dev/$MD --remove failed" "paradm status"
mdadm --quiet "/dev/$MD" --remove failed --remove detached
mdadm --quiet "/dev/$MD" --add "${DEVS[3]}"
wait_whole
ask 0 status
mdadm --quiet "/dev/$MD" --fail "${DEVS[3]}"
echo 0 >"/sys/kernel/config/nullb/${DEVS[2]##*/}/power"
! dd if=/dev/zero of="/dev/$MD" bs=1M count=64 oflag=direct status=none || fail "a broken array took a write"
down "BROKEN" broken
assert_match "$("$PARADM" status || true)" 'action: .*connect them again' "paradm status"
stop_par
rm -f /dev/md/home
