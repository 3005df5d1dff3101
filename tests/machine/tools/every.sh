# shellcheck shell=bash
# Try every command of an mdadm on a par array: record its answer, and start the array afterwards,
# by a patched mdadm, with all its data. To be sourced; see mdadm-every.sh.

# shellcheck source=par.sh
. "$(dirname "${BASH_SOURCE[0]}")/par.sh"

EVERY_MIB=12	# the part of the array that is written
FAULTS=()

# Commands for a running array. %md, %0 … %4 and %spare stand for devices.
RUNNING=(
	'--detail %md' '--detail --export %md' '--detail --scan' '--query %md' '--examine %4' '-X %4'
	'--wait-clean %md' '--wait %md' '--readonly %md' '--readwrite %md' '--run %md'
	'--monitor --oneshot %md' '--action=check %md' '--action=repair %md' '--action=frozen %md'
	'%md --fail %4' '%md --fail %4 --remove %4' '%md --fail %1 --remove %1 --re-add %1'
	'%md --fail %4 --remove %4 --add %4' '%md --fail %1 --fail %4' '%md --remove %1' '%md --remove failed'
	'%md --set-faulty %2 --add %spare' '%md --add %spare' '%md --add-spare %spare' '%md --re-add %1'
	'%md --add --write-mostly %spare' '%md --add-journal %spare' '%md --replace %1'
	'%md --add %spare --replace %1 --with %spare'
	'--grow %md --bitmap=internal' '--grow %md --bitmap=none' '--grow %md --bitmap=%file --force'
	'--grow %md --bitmap=clustered' '--grow %md --bitmap=lockless'
	'--grow %md --consistency-policy=ppl' '--grow %md --consistency-policy=resync'
	'--grow %md --consistency-policy=journal' '--grow %md --consistency-policy=bitmap'
	'--grow %md --raid-devices=6' '--grow %md --raid-devices=4 --force' '--grow %md --size=max'
	'--grow %md --size=8M' '--grow %md --size=max --assume-clean' '--grow %md --array-size=4M'
	'--grow %md --array-size=max' '--grow %md --level=0' '--grow %md --level=1' '--grow %md --level=5'
	'--grow %md --level=6' '--grow %md --level=10' '--grow %md --level=linear'
	'--grow %md --layout=left-symmetric' '--grow %md --layout=2' '--grow %md --chunk=128'
	'--grow %md --data-offset=4M' '--grow %md --continue' '--grow %md --add %spare'
	'--grow %md --raid-devices=6 --add %spare' '--grow %md --raid-devices=6 --backup-file=%file'
	'--stop %md' '--assemble %md %0 %1 %2 %3 %4' '--assemble --force --run /dev/md1 %0 %1 %2 %3 %4'
	'--incremental %0' '--incremental --run %spare' '--incremental --fail nullb1'
	'--zero-superblock %0' '--zero-superblock --force %0' '--kill-subarray=0 %md'
	'--update-subarray=0 --update=name --name=x %md' '--dump=%dir %0'
	'--create /dev/md1 --run --level=1 --raid-devices=2 %0 %1'
	'--create /dev/md1 --run --level=par --raid-devices=5 %0 %1 %2 %3 %4'
	'--build /dev/md1 --level=1 --raid-devices=2 %0 %1'
)

# Commands for a stopped array. %start stands for the options with which this mdadm starts it.
STOPPED=(
	'--assemble %md %all' '--assemble %start %md %all' '--assemble --run %md %all' '--assemble --force %md %all'
	'--assemble %start --readonly %md %all' '--assemble %start %md %0 %1 %2 %3' '--assemble --run %md %0 %1 %2 %3'
	'--assemble --force --run %md %0 %1 %2' '--assemble --no-degraded %md %all' '--assemble --scan'
	'--assemble %start --backup-file=%file --invalid-backup %md %all' '--assemble %start --freeze-reshape %md %all'
	'--incremental %0' '--incremental --run %1' '--incremental --scan' '--examine %all' '--examine --scan' '-X %0'
	'--dump=%dir %all' '--restore=%dir %all' '--stop %md' '--zero-superblock %4' '--zero-superblock %all'
	'--create %md --level=5 --raid-devices=5 %all' '--create %md --level=par --raid-devices=5 %all'
	'--create %md --run --level=par --raid-devices=5 %all' '--create %md --run --force --level=par --raid-devices=5 %all'
	'--create %md --run --level=par --raid-devices=5 --assume-clean %all' '--build %md --level=linear --raid-devices=5 %all'
)
UPDATES=(name 'name --name=other' homehost 'homehost --homehost=other' uuid 'uuid --uuid=01234567:01234567:01234567:01234567' resync sparc2.2
	super-minor summaries byteorder devicesize bitmap no-bitmap bbl no-bbl force-no-bbl ppl no-ppl layout-original
	layout-alternate layout-unspecified home-cluster 'home-cluster --home-cluster=x' nodes 'nodes --nodes=4'
	metadata revert-reshape par-rescue)
# Commands that an mdadm without the patches does not refuse: see Documentation/mdadm.md.
OTHER_LEVELS=(
	'--create %md --run --level=5 --raid-devices=5 %all' '--create %md --run --level=1 --raid-devices=2 %0 %1'
	'--create %md --run --force --assume-clean --level=6 --metadata=1.0 --raid-devices=5 %all'
	'--create %md --run --level=0 --raid-devices=2 %3 %4'
)
for update in "${UPDATES[@]}"; do STOPPED+=("--assemble %start --update=$update %md %all"); done

# keep_golden GEAR: save the disks of an array whose data was last written in that gear.
keep_golden() {
	local d
	create_par 3,5 --chunk=64 --destroy-par
	fill $EVERY_MIB
	shift_to "$1"
	fill 4 4
	SUM=$(fingerprint $EVERY_MIB)
	stop_par
	for d in "${!DEVS[@]}"; do dd if="${DEVS[d]}" of="$MACHINE_TMP/golden$d" bs=4M iflag=direct status=none; done
}

put_golden() {
	local d
	[ "$(writes_so_far)" != "$GOLDEN_AT" ] || return 0
	for d in "${!DEVS[@]}"; do
		dd if="$MACHINE_TMP/golden$d" of="${DEVS[d]}" bs=4M oflag=direct conv=notrunc status=none
	done
	dd if=/dev/zero of="$SPARE" bs=1M count=4 oflag=direct conv=notrunc status=none
	GOLDEN_AT=$(writes_so_far)
}

# kernel_state: print all md arrays, and the writes to the disks so far.
kernel_state() {
	writes_so_far
	grep -s . /sys/block/md*/size /sys/block/md*/md/* /sys/block/md*/md/{dev-*,bitmap,bitmap_*}/* || true
}

# run_golden: the array is running from the saved disks, unchanged.
run_golden() {
	local state
	state=$(kernel_state)
	[ "$state" != "$RUNNING_AT" ] || return 0
	all_stopped || return
	put_golden
	assemble_par
	settle
	RUNNING_AT=$(kernel_state)
}

# words COMMAND: set WORDS to its words, with the names of devices.
words() {
	local text=$1 d
	text=${text//%md//dev/$MD}
	text=${text//%all/${DEVS[*]}}
	text=${text//%spare/$SPARE}
	text=${text//%start/$START}
	text=${text//%file/$MACHINE_TMP/file}
	text=${text//%dir/$MACHINE_TMP/dir}
	for d in "${!DEVS[@]}"; do text=${text//%$d/${DEVS[d]}}; done
	read -r -a WORDS <<<"$text"
}

# Stop all arrays; fails if one cannot be stopped.
all_stopped() {
	local md i
	for ((i = 0; i < 50; i++)); do
		for md in /sys/block/md*; do
			[ -e "$md/md" ] || continue
			mdadm --quiet --stop "/dev/${md##*/}" >/dev/null 2>&1 || true
		done
		[ -e "/sys/block/$MD/md" ] || [ -e /sys/block/md1/md ] || return 0
		nap 0.1
	done
	return 1
}

# start_again: start the array by the patched mdadm; WAY says how. Writes that a member lacks are not lost.
start_again() {
	local all=("$MD" "${DEVS[@]}")
	all[0]=/dev/$MD
	echo "every: $COMMANDS" >/dev/kmsg
	WAY=plainly
	! SAID=$(mdadm --assemble "${all[@]}" 2>&1) || return 0
	mdadm --stop --quiet "/dev/$MD" 2>/dev/null || true
	WAY='by --run'
	! SAID=$(mdadm --assemble --run "${all[@]}" 2>&1) || return 0
	mdadm --stop --quiet "/dev/$MD" 2>/dev/null || true
	if [[ $1 == *--fail*--fail* ]]; then	# more failures than parities, which 4.2 allows
		WAY='by --force'
		SAID=$(mdadm --assemble --force "${all[@]}" 2>&1)
		return
	fi
	[[ $1 == *--zero-superblock* ]] || return 1
	WAY='by --create --assume-clean'
	SAID=$(mdadm --create --run "/dev/$MD" --level=par --raid-devices=5 --assume-clean "${DEVS[@]}" 2>&1 </dev/null)
}

fault() { FAULTS+=("$WHO: $1: $2"); }

# Print the module's messages since the command.
kernel_said() { dmesg | sed -n "/every: $COMMANDS\$/,\$p" | grep md/par || true; }

# starts_with_all COMMAND: stop the array, start it, and compare its data. WAY says how it started.
starts_with_all() {
	if ! all_stopped; then
		fault "$1" "cannot be stopped"
		WAY='is not stopped'
	elif [ "$(writes_so_far)" = "$GOLDEN_AT" ]; then
		WAY='starts: not a sector was written'
	elif ! start_again "$1"; then
		fault "$1" "the array does not start: $SAID; $(kernel_said)"
		WAY='starts NOT AT ALL'
	else
		WAY="starts $WAY"
		[ "$(fingerprint $EVERY_MIB)" = "$SUM" ] || { fault "$1" "data is lost"; WAY+=', DATA LOST'; }
		all_stopped || fault "$1" "cannot be stopped at last"
	fi
}

# try running|stopped COMMAND: a command that has written nothing and has not changed the kernel's
# state of a running array leaves the array running for the next command.
try() {
	local state=$1 command=$2 rc=0 answer=
	COMMANDS=$((COMMANDS + 1))
	words "$command"
	rm -rf "$MACHINE_TMP/file" "$MACHINE_TMP/dir"
	mkdir "$MACHINE_TMP/dir"
	if [ "$state" = running ]; then run_golden; else put_golden; fi
	[[ $command != *--restore=* ]] || "$MDADM" --dump="$MACHINE_TMP/dir" "${DEVS[@]}" >/dev/null 2>&1
	timeout 20 "$MDADM" "${WORDS[@]}" >"$MACHINE_TMP/said" 2>&1 </dev/null || rc=$?
	# Commands that upstream's mdadm answers only by its status, at any level, also --continue without a reshape.
	[ "$rc" = 0 ] || [ -s "$MACHINE_TMP/said" ] || [[ $command =~ --(wait|detail|query|run|continue) ]] ||
		fault "$command" "refused with status $rc and without a word"
	read -r answer <"$MACHINE_TMP/said" || true
	if [ "$rc" = 0 ]; then answer=accepted; else answer="refused ($rc): $answer"; fi
	WAY='runs on: nothing has changed'
	[ "$state" = running ] && [ "$(kernel_state)" = "$RUNNING_AT" ] || starts_with_all "$command"
	printf '%-40s | %-60s | %s | %s\n' "$WHO, $state" "$command" "$WAY" "${answer:0:150}"
}

# every VERSION[-unpatched] GEAR [PATTERN]: try the commands that match. A patched mdadm of the same
# version starts the array afterwards: after 4.6 has run on Linux 6.18 or later, 4.4 assembles no
# array of any level until legacy_async_del_gendisk is Y again.
every() {
	local gear=$2 pattern=${3:-} async=/sys/module/md_mod/parameters/legacy_async_del_gendisk command
	local patched=$RAIDPAR_TOP/build/mdadm-${1%-unpatched}
	MDADM=$RAIDPAR_TOP/build/mdadm-$1/mdadm
	[ -x "$MDADM" ] || { note "skipped: there is no mdadm-$1"; return; }
	[ "$1" != 4.2-unpatched ] || patched=$RAIDPAR_TOP/build/mdadm-4.4
	[ -x "$patched/mdadm" ] || { note "skipped: there is no ${patched##*/}"; return; }
	local -x PATH=$patched:$PATH
	[ ! -e $async ] || echo Y >$async
	START=
	[[ $1 != *-unpatched ]] || START='--force --run'
	WHO="mdadm-$1, gear $gear"
	GOLDEN_AT=
	RUNNING_AT=
	keep_golden "$gear"
	for command in "${RUNNING[@]}"; do [[ ! $command =~ $pattern ]] || try running "$command"; done
	[ -z "$RUNNING_AT" ] || starts_with_all 'all the commands before'
	for command in "${STOPPED[@]}"; do [[ ! $command =~ $pattern ]] || try stopped "$command"; done
	[ -z "$START" ] || return 0
	for command in "${OTHER_LEVELS[@]}"; do [[ ! $command =~ $pattern ]] || try stopped "$command"; done
}

every_begin() {
	# A stop waits for a dozen grace periods, which take as long as everything else. A kernel for
	# one CPU does not have this setting.
	{ echo 1 >/sys/kernel/rcu_expedited; } 2>/dev/null || true
	COMMANDS=0
	mkdisks 6 24M
	SPARE=${DEVS[5]}
	DEVS=("${DEVS[@]:0:5}")
}

every_end() {
	rmdisks
	[ "${#FAULTS[@]}" = 0 ] || fail "$(printf '%s\n' "${#FAULTS[@]} faults:" "${FAULTS[@]}")"
}
