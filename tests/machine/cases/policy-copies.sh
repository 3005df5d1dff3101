#!/bin/bash
# policy-replay predicts a shift down with much to copy: its beginning, its duration, and the energy of all disks within 3 percent.
# machine: --time-travel --mem 3G
# rare: yes
# needs: raid-tracer
# timeout: 600
. "$(dirname "$0")/../tools/policy.sh"

BUILT=$MACHINE_TMP/policy
DAY=("$TRACER" trace synth day hourly --files 128 --file-bytes 4M)
LOAD=1000	# seconds

# told NAME: print a value that policy-replay has computed.
told() { awk -v name="$1" '$1 == name { print $2 }' "$MACHINE_TMP/told"; }

"$TOOLS/../../../scripts/build-policy" "$BUILT"
"${DAY[@]}" --fill >"$MACHINE_TMP/files"
"${DAY[@]}" | awk -v end="$LOAD" '$1 < end * 1e9' >"$MACHINE_TMP/requests"
# A request of no bytes at the end of the load.
echo "${LOAD}000000000 r 0 0" | cat "$MACHINE_TMP/requests" - | "$BUILT/policy-replay" 3,8 >"$MACHINE_TMP/told"
grep ^shift "$MACHINE_TMP/told"

mkspindles 8 16000900661248 preset=nearline
create_par 3,8 --log-size=none
send "$MACHINE_TMP/files"
begin_anew
report_anew
copied=$(par propagated_bytes) shifts=$(par shifts)
set_par policy auto
send "$MACHINE_TMP/requests" &
nap "$LOAD"
wait $!

is=$(joules) said=$(told joules_par)
note "$is J; foretold $said J"
assert_le $((100 * (is > said ? is - said : said - is))) $((3 * is)) "a hundred times the difference in J"
is=$(($(par propagated_bytes) - copied)) said=$(told copied_bytes)
note "$is bytes copied; foretold $said"
assert_le $((10 * (is > said ? is - said : said - is))) "$is" "ten times the difference in bytes copied"
assert_eq $(($(par shifts) - shifts)) "$(told shifts)" "shifts"
is=$(par shift_last_ms) said=$(awk '$1 == "shift" { ms = 1000 * ($3 - $2) } END { printf "%d", ms }' "$MACHINE_TMP/told")
note "the last shift took $is ms; foretold $said ms"
assert_le $((is > said ? is - said : said - is)) $((is / 3 + 1000)) "difference in ms of the last shift down"
end_par
