#!/bin/bash
# raid-tracer meter: the energy of simulated disks is that of their states times their watts, to the µJ, and that by what the kernel knows of states is close to it.
# subject: tracer
# machine: --debug --time-travel
# needs: raid-tracer
. "$(dirname "$0")/../tools/par.sh"

said=$MACHINE_TMP/said list=$MACHINE_TMP/list sheet=$MACHINE_TMP/sheet

# by_states DISK: µJ by the times in states of its report, which was kept, with the watts of the disk's files.
by_states() {
	local name value
	declare -A watts=()
	for name in active idle standby spin_up spin_down; do read -r "watts[$name]" <"$SPINDLES/$1/${name}_mw"; done
	while read -r name value; do
		case $name in off_ns) ;; *_ns) echo "$value ${watts[${name%_ns}]}" ;; esac
	done <"$MACHINE_TMP/report" | awk '{ sum += $1 * $2 } END { printf "%.0f\n", sum / 1e6 }'
}

# used CHANNEL: J: of the table.
used() { awk -v channel="$1" '$1 == channel { print $4 }' "$said"; }

mkspindles 2 1G preset=nearline
for disk in spin0 spin1; do
	printf '[[disk]]\ndevice = "%s"\nactive = 10.0\nidle = 5.0\nstandby = 1.0\nspin_up = 24.0\n' "$disk"
done >"$sheet"
echo 20000 >/sys/block/spin1/device/power/autosuspend_delay_ms
echo auto >/sys/block/spin1/device/power/control
# spin0 works for a minute; spin1 sleeps, and is woken.
awk 'BEGIN { for (i = 0; i < 3000; i++) printf "%d r %d 4096\n", i * 20000000, (i * 7919) % 2000000 }' >"$list.0"
printf '%s\n' "0 r 0 4096" "200000000000 r 800000 4096" >"$list.1"

for disk in spin0 spin1; do echo 0 >"$SPINDLES/$disk/report"; done
"$TRACER" meter spindle "states:$sheet" --seconds 400 >"$said" &
"$TRACER" replay "$list.0" /dev/spin0 >/dev/null &
"$TRACER" replay "$list.1" /dev/spin1 >/dev/null
wait
note "$(cat "$said")"
for disk in spin0 spin1; do
	cat "$SPINDLES/$disk/report" >"$MACHINE_TMP/report"
	wanted=$(awk '$1 == "energy_uj" { print $2 }' "$MACHINE_TMP/report")
	off=$((wanted - $(by_states "$disk")))
	assert_le "${off#-}" 1 "µJ that the report of $disk is off by"
	# The replayers take a moment more to end than the meter.
	awk -v is="$(used "spindle/$disk")" -v now="$wanted" 'BEGIN { exit !(is > 0 && is <= now / 1e6 && is > 0.99 * now / 1e6) }' ||
		fail "$disk: $(used "spindle/$disk") J of the meter, $wanted µJ of the disk"
	awk -v is="$(used "states:$sheet/$disk")" -v real="$(used "spindle/$disk")" 'BEGIN { d = is / real - 1; exit !(d < 0.02 && d > -0.02) }' ||
		fail "$disk: $(used "states:$sheet/$disk") J by states, $(used "spindle/$disk") J"
done
[ "$(awk '$1 == "starts" { print $2 }' "$SPINDLES/spin1/report")" -ge 1 ]
