#!/bin/bash
# mdadm creates, shows, stops and assembles par arrays of several layouts; showing an array wakes no member.
# machine: --mem 2G
# stock: yes
set -euo pipefail
. "$(dirname "$0")/../lib.sh"

# value COMMAND... -- LABEL: print the text after "LABEL : " or "LABEL=".
value() {
	local args=()
	while [ "$1" != -- ]; do args+=("$1"); shift; done
	"${args[@]}" | sed -n "s/^ *$2 *[:=] *//p" | head -n 1
}

# The size of the array is the same in the kernel and in mdadm's output.
check_shown() {
	local option=$1 words=$2 members=$3 kib
	kib=$(($(cat /sys/block/md0/size) / 2))
	assert_match "$(cat /proc/mdstat)" 'md0 : active par ' "mdstat"
	assert_eq "$(value mdadm --detail /dev/md0 -- 'Raid Level')" par "level"
	assert_eq "$(value mdadm --detail /dev/md0 -- Layout)" "$words" "layout in --detail"
	assert_eq "$(value mdadm --detail /dev/md0 -- Gear)" "$members of $members" "gear"
	assert_eq "$(value mdadm --detail /dev/md0 -- 'Chunk Size')" 64K "chunk in --detail"
	assert_match "$(value mdadm --detail /dev/md0 -- 'State ')" '^(clean|active) *$' "state"
	assert_eq "$(value mdadm --examine "${DEVS[0]}" -- Layout)" "$words" "layout in --examine"
	assert_match "$(value mdadm --examine "${DEVS[0]}" -- 'Array Size')" "^$kib KiB" "size in --examine"
	assert_eq "$(value mdadm --examine "${DEVS[0]}" -- State)" clean "state in --examine"
	assert_eq "$(value mdadm --detail --export /dev/md0 -- MD_LEVEL)" par "MD_LEVEL"
	assert_eq "$(value mdadm --detail --export /dev/md0 -- MD_PAR_LAYOUT)" "$option" "MD_PAR_LAYOUT"
	assert_eq "$(value mdadm --detail --export /dev/md0 -- MD_PAR_GEAR)" "$members" "MD_PAR_GEAR"
	assert_eq "$(value mdadm --examine --export "${DEVS[0]}" -- MD_PAR_LAYOUT)" "$option" "MD_PAR_LAYOUT"
	mdadm --detail --test /dev/md0 >/dev/null || fail "--detail --test: status $?"
}

check_layout() {
	local members=$1 given=$2 option=$3 words=$4 uuid dev
	note "$members members, --layout=$given"
	mkdisks "$members" 256M
	mdadm --create /dev/md0 --quiet --level=par --raid-devices="$members" --chunk=64 \
		${given:+--layout="$given"} "${DEVS[@]}" </dev/null
	check_shown "$option" "$words" "$members"
	uuid=$(value mdadm --detail --export /dev/md0 -- MD_UUID)

	mdadm --stop --quiet /dev/md0
	mdadm --assemble --quiet /dev/md0 "${DEVS[@]}"
	check_shown "$option" "$words" "$members"

	mdadm --stop --quiet /dev/md0
	for dev in "${DEVS[@]}"; do mdadm --incremental --quiet "$dev"; done
	assert_eq "$(value mdadm --detail --export /dev/md0 -- MD_UUID)" "$uuid" "UUID after --incremental"
	mdadm --stop --quiet /dev/md0
	rmdisks
}

look_at_all() {
	mdadm --detail /dev/md0
	mdadm --detail --export /dev/md0
	mdadm --detail --scan
	mdadm --query /dev/md0
	mdadm --incremental --rebuild-map
	mdadm --monitor --oneshot --scan --mail=root --program=/bin/true
}

# Commands that only show the array must not reach a sleeper. The order of members in the
# kernel's list differs from round to round, so that each disk sleeps in some round.
check_sleepers() {
	local round before name
	note "looking at an array in its low gear"
	mkdisks 5 256M
	for ((round = 0; round < 3; round++)); do
		mdadm --create /dev/md0 --quiet --run --level=par --raid-devices=5 --layout=3,5 --destroy-par \
			"${DEVS[@]}" 2>/dev/null
		echo 3 >/sys/block/md0/md/par/gear
		wait_for /sys/block/md0/md/par/gear 3
		wait_for /sys/block/md0/md/par/shift_state idle
		assert_eq "$(value mdadm --detail /dev/md0 -- Gear)" "3 of 5" "gear"
		before=$(for name in "${DISKS[@]:3}"; do requests "$name"; done)
		look_at_all >/dev/null 2>&1 || fail "mdadm fails on an array in its low gear"
		assert_eq "$(for name in "${DISKS[@]:3}"; do requests "$name"; done)" "$before" \
			"requests of ${DISKS[*]:3}"
		mdadm --stop --quiet /dev/md0
		DISKS=("${DISKS[@]:2}" "${DISKS[@]:0:2}")
		DEVS=("${DEVS[@]:2}" "${DEVS[@]:0:2}")
	done
	rmdisks
}

# scrubs: the lines of --detail about scrubs, one for each set; expect_scrubs SET SECONDS...
scrubs() { mdadm --detail /dev/md0 | sed -n 's/^ *Last Scrub : //p'; }
expect_scrubs() {
	local want='' export=''
	while [ $# -gt 0 ]; do
		want+="$(date -d "@$2" '+%a %b %e %T %Y') (set of $1)"$'\n'
		export+=${export:+,}$1:$2
		shift 2
	done
	assert_eq "$(scrubs)" "${want%$'\n'}" "scrubs in --detail"
	assert_eq "$(value mdadm --detail --export /dev/md0 -- MD_PAR_SCRUB_LAST)" "$export" "MD_PAR_SCRUB_LAST"
}

# A check in the low gear reads the lower set only. The clock is set forward before it.
check_scrubs() {
	local before born created now last par=/sys/block/md0/md/par
	note "when sets were last read in whole"
	mkdisks 5 64M
	before=$EPOCHSECONDS
	mdadm --create /dev/md0 --quiet --run --level=par --raid-devices=5 --layout=3,5 --chunk=64 "${DEVS[@]}" 2>/dev/null
	now=$EPOCHSECONDS
	read -r _ born <"$par/scrub_last"
	# The creation time is mdadm's; the module's is that of the first start, a little later.
	created=$(date -d "$(value mdadm --detail /dev/md0 -- 'Creation Time')" +%s)
	assert_le "$before" "$created" "when the array was created"
	assert_le "$created" "$born" "when the sets were born"
	assert_le "$born" "$now" "when the sets were born"
	expect_scrubs 3 "$born" 5 "$born"
	echo 3 >"$par/gear"
	wait_for "$par/gear" 3
	wait_for "$par/shift_state" idle
	now=$((born + 10 * 86400))
	date -s "@$now" >/dev/null
	echo check >/sys/block/md0/md/sync_action
	wait_for "$par/scrub_left_out" 5
	wait_for /sys/block/md0/md/sync_action idle
	read -r _ last <"$par/scrub_last"
	assert_le "$now" "$last" "when the set of 3 was read"
	expect_scrubs 3 "$last" 5 "$born"

	note "a kernel without these files"
	mount -t tmpfs none "$par"
	assert_eq "$(scrubs)" '' "scrubs in --detail"
	assert_eq "$(mdadm --detail --export /dev/md0 | grep -c MD_PAR_)" 1 "--export has the layout only"
	umount "$par"
	mdadm --stop --quiet /dev/md0
	rmdisks
}

check_layout 5 3,5 raid5:3,5 'raid5, gears 3,5'
check_layout 5 '' raid5:3,5 'raid5, gears 3,5'
check_layout 8 3,5,8 raid5:3,5,8 'raid5, gears 3,5,8'
check_layout 8 raid6 raid6:4,8 'raid6, gears 4,8'
check_layout 5 raid0:2,5 raid0:2,5 'raid0, gears 2,5'
check_sleepers
check_scrubs
