#!/bin/bash
# The array shifts up when its log has no room for the next small write, even if writes come one at a time.
# machine: --time-travel
. "$(dirname "$0")/../tools/log.sh"

mkspindles 5 64M
create_logged 3,5 4 --chunk=64
fill_all
shift_to 3
# They take no time: nothing is drained meanwhile, since the module looks every 5 s whether there is something.
dd if=/dev/zero of="/dev/$MD" bs=4k count=1000 oflag=direct status=none
note "used $(par log_used), logged $(par logged), gear $(par gear), target $(par shift_target)"
wait_for "/sys/block/$MD/md/par/gear" 5 60
assert_match "$(cat "/sys/block/$MD/md/par/member4/last_wake_cause")" '^log' "cause"
end_par
