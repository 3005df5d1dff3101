#!/bin/bash
# Spindle disks: every file refuses invalid values, and nothing changes.
. "$(dirname "$0")/../tools/par.sh"

put() { printf '%s' "$2" >"$SPINDLES/$1"; }

# refuses FILE ERROR VALUE...
refuses() {
	local file=$1 error=$2 was='' value
	shift 2
	[ ! -r "$SPINDLES/$file" ] || was=$(cat "$SPINDLES/$file" 2>/dev/null || true)
	for value in "$@"; do
		refused put "$file" "$value"
		assert_match "$REFUSAL" "$error" "'$value' to $file"
	done
	[ -z "$was" ] || assert_eq "$(cat "$SPINDLES/$file")" "$was" "$file after refusals"
}

INVALID='Invalid argument'
BUSY='Device or resource busy'

mkspindles 2 16M
echo 0 >"$SPINDLES/spin0/online"
junk=(-1 x '1 2' 99999999999999999999999 '1x' ' ')
refuses spin0/size "$INVALID" "${junk[@]}" 0 $(((1 << 30) + 1))
refuses spin0/blocksize "$INVALID" "${junk[@]}" 0 1024 513 8192
refuses spin0/cache "$INVALID" "${junk[@]}" 2
refuses spin0/delay_us "$INVALID" "${junk[@]}" 60000001
refuses spin0/rate_kib "$INVALID" "${junk[@]}"
refuses spin0/seed "$INVALID" "${junk[@]}"
for file in online power dead; do
	refuses "spin0/$file" "$INVALID" "${junk[@]}" 2 y on
done
refuses spin0/errors "$INVALID" ' ' x clear\ 1 'read' 'read 1' 'read 1 0' 'read 0 1 0' 'read 0 1 1 1' \
	'read -1 2' 'read 32768 1' 'read 32767 2' 'read 0 99999999999999999999' 'read 18446744073709551615 2' \
	'reads 0 1' 'read 0 1 x' 'read 0 1 4294967296'
refuses cut "$INVALID" ' ' x 'x spin0' '1 none' '1 spin0 none' '-1' '1x'
refuses restore "$INVALID" ' ' none 'all spin0' 'spin0 none'
for disk in spin0 spin1; do
	assert_eq "$(cat "$SPINDLES/$disk/power")" 1 "power after refused cuts"
done

note "while the disk is online"
for file in size blocksize cache rate_kib seed; do
	refuses "spin1/$file" "$BUSY" "$(cat "$SPINDLES/spin1/$file")"
	refuses "spin1/$file" "$INVALID" x
done

note "unusual values that are accepted"
for value in 0 0 1 1; do put spin1/power "$value"; done
for value in 1 1 0 0; do put spin1/dead "$value"; done
for value in 1 1 0 0; do put spin1/online "$value"; done
put spin1/size 0x10
assert_eq "$(cat "$SPINDLES/spin1/size")" 16 "size in hexadecimal"
put cut "0x7  spin1 "
assert_eq "$(cat "$SPINDLES"/spin[01]/power | tr '\n' ' ')" "1 0 " "power after a cut of one"
put restore "all"
put cut 18446744073709551615
assert_eq "$(cat "$SPINDLES"/spin[01]/power | tr '\n' ' ')" "0 0 " "power after a cut of all"
put restore $'spin1\n'
assert_eq "$(cat "$SPINDLES"/spin[01]/power | tr '\n' ' ')" "0 1 " "power of one restored"

note "names"
refused mkdir "$SPINDLES/a-name-that-is-longer-than-a-disk-may-have"
refused mkdir "$SPINDLES/spin0"
rmdisks
