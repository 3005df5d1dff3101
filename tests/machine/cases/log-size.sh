#!/bin/bash
# The size of the log is changed while it is empty, and kept over cuts; nothing is lost with any size, nor with a log that is off.
# plain: yes
. "$(dirname "$0")/../tools/log.sh"

set_size() { echo "$1" >"$PAR/log_size" 2>/dev/null; }

# used_with WHAT SEED: writes in the low gear, a cut, and more writes; all is there afterwards.
used_with() {
	shift_to 3
	write_some "1$2" 150
	flushed_crash "$2"
	same "$1, after a cut"
	shift_to 3
	write_some "2$2" 50
	same "$1, written again"
}

mkspindles 5 64M seed=1
create_logged 3,5 8 --chunk=64
fill_twin
whole=$(par log_size)
assert_eq "$whole $(par log_size_max)" "$((12 << 20)) $((12 << 20))" "size of a new log, and the most"

note "half of it"
set_size $((6 << 20))
assert_eq "$(par log_size) $(par log_size_max)" "$((6 << 20)) $whole" "its size, and the most"
used_with "half" 1
[ "$(par log_replayed)" -gt 0 ] || fail "nothing is replayed"
assert_eq "$(par log_size)" $((6 << 20)) "size after a cut"
# More than it has room for. A full log shifts the array up, and what is written meanwhile goes past it.
for ((seed = 3; seed < 20 && $(par logged) <= 6 << 20; seed++)); do
	shift_to 3
	write_some "$seed" 300
done
[ "$(par logged)" -gt $((6 << 20)) ] || fail "only $(par logged) bytes have been logged"
same "used many times"

note "off"
drained
set_size 0
assert_eq "$(par log_size) $(par log_state)" "0 off" "size and state of a log that is off"
used_with "off" 2
assert_eq "$(par logged) $(par log_state)" "0 off" "bytes logged, and its state after a cut"

note "all of it again"
set_size "$whole"
assert_eq "$(par log_size) $(par log_state)" "$whole empty" "its size and state again"
used_with "all of it" 3
[ "$(par log_replayed)" -gt 0 ] || fail "nothing is replayed"
drained
reassemble_par
assert_eq "$(par log_size)" "$whole" "size after a stop"
same "after a stop"

note "switched while it is written"
write_some 77 2000 &
writer=$!
for ((i = 0; i < 20; i++)); do
	set_size $((i % 2 * whole)) || true
	kill -0 "$writer" 2>/dev/null || break
	echo $((3 + i % 3 / 2 * 2)) >"$PAR/gear" 2>/dev/null || true
	nap 0.2
done
wait "$writer" || fail "writes while the log is switched on and off"
shift_to 5
wait_for "$PAR/log_used" 0 60
same "switched while it is written"
no_mismatch
stop_par
