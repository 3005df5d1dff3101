#!/bin/bash
# Each wrong set of arguments for a par array gets its own message from mdadm.
# needs: mdadm-VERSION
# mdadm: 4.4 4.6
set -euo pipefail
. "$(dirname "$0")/../../scripts/lib.sh"

FAILURES=0

# The devices do not exist: "cannot open" means that the arguments were accepted.
ask() {
	"$MDADM" --create /dev/md77 --run --level=par "$@" \
		/nonexistent/{a,b,c,d,e,f,g,h} </dev/null 2>&1 || true
}

# expect MESSAGE OPTION...: mdadm prints only this message.
expect() {
	local want=$1 got
	shift
	got=$(ask "$@")
	[ "$got" != "mdadm: $want" ] || return 0
	printf '%s\n' "FAILED: --create --level=par $*" "  got:  $got" "  want: mdadm: $want"
	FAILURES=$((FAILURES + 1))
}

# accepted OPTION...: mdadm accepts the options and opens the devices.
accepted() { expect 'cannot open /nonexistent/a: No such file or directory' "$@"; }

layouts() {
	accepted -n 8 --layout=3,8
	accepted -n 8 --layout=3,5,8
	accepted -n 8 --layout=2,3,4,5,6,7,8
	accepted -n 8 --layout=raid5:3,8
	accepted -n 8 --layout=raid6:4,8
	accepted -n 8 --layout=raid0:2,8
	accepted -n 8 --layout=raid5
	accepted -n 8 --layout=raid6
	accepted -n 8 --layout=raid0
	accepted -n 8 -p 3,8
	accepted -n 8
	accepted --layout=3,8 -n 8

	expect 'layout: gear sizes must be numbers with commas between them, such as 3,5, not "3,x"' -n 8 --layout=3,x
	expect 'layout: gear sizes must be numbers with commas between them, such as 3,5, not "3;8"' -n 8 --layout='3;8'
	expect 'layout: gear sizes must be numbers with commas between them, such as 3,5, not "3,,8"' -n 8 --layout=3,,8
	expect 'layout: gear sizes must be numbers with commas between them, such as 3,5, not "3,8,"' -n 8 --layout=3,8,
	expect 'layout: gear sizes must be numbers with commas between them, such as 3,5, not "-3,8"' -n 8 --layout=-3,8
	expect 'layout: gear sizes must be numbers with commas between them, such as 3,5, not ""' -n 8 --layout=
	expect 'layout: gear sizes must be numbers with commas between them, such as 3,5, not ""' -n 8 --layout=raid6:
	expect 'layout: gear sizes must grow and end in the number of raid devices (8): in 5,3,8, 5 comes before 3' -n 8 --layout=5,3,8
	expect 'layout: gear sizes must grow and end in the number of raid devices (8): in 3,3,8, 3 comes before 3' -n 8 --layout=3,3,8
	expect 'layout: gear sizes must grow and end in the number of raid devices (8), not 3,5' -n 8 --layout=3,5
	expect 'layout: gear sizes must grow and end in the number of raid devices (8), not 3,9' -n 8 --layout=3,9
	expect 'layout: gear sizes must grow and end in the number of raid devices (8), not 3,99999999999999999999' -n 8 --layout=3,99999999999999999999
	expect 'layout: at least two gears are needed: with 8 alone, no member could ever sleep' -n 8 --layout=8
	expect 'layout: the lowest gear of raid5 needs at least 2 members, not 1' -n 8 --layout=1,8
	expect 'layout: the lowest gear of raid0 needs at least 2 members, not 0' -n 8 --layout=raid0:0,8
	expect 'layout: the lowest gear of raid6 needs at least 4 members, not 3' -n 8 --layout=raid6:3,8
	expect 'layout: unknown RAID level raid4 of the gears: raid5, raid6 and raid0 are possible' -n 8 --layout=raid4:3,8
	expect 'layout: unknown RAID level left-symmetric of the gears: raid5, raid6 and raid0 are possible' -n 8 --layout=left-symmetric
	expect 'layout: mdadm cannot store a layout with all gears from 2 to 16: leave one of them out' -n 16 --layout=2,3,4,5,6,7,8,9,10,11,12,13,14,15,16
	expect 'layout may only be sent once.  Second value was 4,8' -n 8 --layout=3,8 --layout=4,8
}

shapes() {
	expect 'level par supports at most 28 raid-devices, not 29' -n 29
	expect 'at least 3 raid-devices needed for level par with raid5: gears of 2 and 3' -n 2
	expect 'at least 5 raid-devices needed for level par with raid6: gears of 4 and 5' -n 4 --layout=raid6
	expect 'level par does not support missing devices: an array must be whole when it is created' -n 9 missing
	expect 'level par with raid0 does not support spare devices: it cannot rebuild onto them' -n 7 -x 1 --layout=raid0
	expect 'the chunk size of level par must be a power of two, from 64K to 16M, not 32K' -n 8 -c 32
	expect 'the chunk size of level par must be a power of two, from 64K to 16M, not 96K' -n 8 -c 96
	expect 'the chunk size of level par must be a power of two, from 64K to 16M, not 32768K' -n 8 -c 32M
	accepted -n 8 -c 64
	accepted -n 8 -c 16M
	accepted -n 7 -x 1
	expect '--assume-clean restores a par array, but these devices have none whose data begins within 256 MiB, or at --data-offset. A new array needs no --assume-clean' -n 8 --assume-clean
}

features() {
	expect 'level par does not support a bitmap: its own metadata records the areas that are being written' -n 8 --bitmap=internal
	expect 'level par does not support a bitmap: its own metadata records the areas that are being written' -n 8 --bitmap=clustered
	expect 'level par does not support --write-behind' -n 8 --write-behind
	expect 'level par does not support a write journal' -n 8 --write-journal=/nonexistent/j
	expect 'level par does not support consistency policy ppl' -n 8 --consistency-policy=ppl
	expect 'level par does not support consistency policy journal' -n 8 --consistency-policy=journal
	expect 'level par does not support consistency policy bitmap' -n 8 --consistency-policy=bitmap
	expect 'level par needs metadata 1.2 (or 1.0 or 1.1): 0.90 metadata does not support it' -n 8 -e 0.90
	expect 'level par needs metadata 1.2 (or 1.0 or 1.1): ddf metadata does not support it' -n 8 -e ddf
	expect 'level par needs metadata 1.2 (or 1.0 or 1.1): imsm metadata does not support it' -n 8 -e imsm
	accepted -n 8 --bitmap=none
	accepted -n 8 --consistency-policy=resync
	accepted -n 8 -e 1.2
}

shares() {
	local share
	for share in 1 25 25% 100; do accepted -n 8 --image-share=$share; done
	for share in 0 101 4294967297 -1 2.5 x % 10%% ''; do
		expect "invalid image share: $share. It is percent of the array, from 1 to 100" -n 8 --image-share=$share
	done
}

# Options that only level par has are refused for another level.
other_level() {
	local got option
	for option in --image-share=10 --log-size=8M --log-size=none; do
		got=$("$MDADM" --create /dev/md77 --level=raid5 -n 3 $option /nonexistent/{a,b,c} </dev/null 2>&1 || true)
		[ "$got" = "mdadm: ${option%=*} is only supported for level par" ] && continue
		printf '%s\n' "FAILED: raid5 with $option: $got"
		FAILURES=$((FAILURES + 1))
	done
}

# Without --run, mdadm asks about a bitmap if the level is another one.
no_question() {
	local got
	got=$("$MDADM" --create /dev/md77 --level=par -n 3 /nonexistent/{a,b,c} </dev/null 2>&1 || true)
	[ "$got" = 'mdadm: cannot open /nonexistent/a: No such file or directory' ] && return
	printf '%s\n' "FAILED: mdadm asks or complains: $got"
	FAILURES=$((FAILURES + 1))
}

# Each option that the patches add is in the texts of help.
helps() {
	local options option help
	options=$(sed -n 's/^+\t{"\([a-z-]*\)", [012], 0, [A-Z].*/--\1/p' "$TOP"/mdadm-patches/*.patch)
	[ -n "$options" ]
	for option in $options; do
		for help in '--create --help' --help-options; do
			# shellcheck disable=SC2086  # two words
			"$MDADM" $help | grep -qE -- "^ +${option}[= ]" && continue
			echo "FAILED: mdadm $help does not name $option"
			FAILURES=$((FAILURES + 1))
		done
	done
}

MDADM=$("$TOP/scripts/build-mdadm" "$1")
MDADM+=/mdadm
layouts
shapes
features
shares
other_level
no_question
helps
[ "$FAILURES" = 0 ]
