# shellcheck shell=bash
# Every command of an mdadm, tried on a par array: what it answers, and that the patched
# one starts the array after it with all its data. To be sourced; see mdadm-every.sh.

# shellcheck source=par.sh
. "$(dirname "${BASH_SOURCE[0]}")/par.sh"

EVERY_MIB=12	# are all that is ever written
FAULTS=()

# What can be said to a running array. %md, %0 … %4 and %spare stand for devices.
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

# And on a stopped one. %start is what this mdadm needs to start it.
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
for update in "${UPDATES[@]}"; do STOPPED+=("--assemble %start --update=$update %md %all"); done

# keep_golden GEAR: an array whose data was last written in that gear, as it lies on the disks.
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
	for d in "${!DEVS[@]}"; do
		dd if="$MACHINE_TMP/golden$d" of="${DEVS[d]}" bs=4M oflag=direct conv=notrunc status=none
	done
	dd if=/dev/zero of="$SPARE" bs=1M count=4 oflag=direct conv=notrunc status=none
}

# words COMMAND: with the devices' names, in WORDS.
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

# Nobody goes on with anything, and no array is left.
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

# start_again: by the patched mdadm; how is left in WAY. What a member lacks is no loss.
start_again() {
	local all=("$MD" "${DEVS[@]}")
	all[0]=/dev/$MD
	mark_log
	WAY=plainly
	! SAID=$(mdadm --assemble "${all[@]}" 2>&1) || return 0
	mdadm --stop --quiet "/dev/$MD" 2>/dev/null || true
	WAY='by --run'
	! SAID=$(mdadm --assemble --run "${all[@]}" 2>&1) || return 0
	mdadm --stop --quiet "/dev/$MD" 2>/dev/null || true
	if [[ $1 == *--fail*--fail* ]]; then	# more than there are parities, as 4.2 lets one
		WAY='by --force'
		SAID=$(mdadm --assemble --force "${all[@]}" 2>&1)
		return
	fi
	[[ $1 == *--zero-superblock* ]] || return 1
	WAY='by --create --assume-clean'
	SAID=$(mdadm --create --run "/dev/$MD" --level=par --raid-devices=5 --assume-clean "${DEVS[@]}" 2>&1 </dev/null)
}

fault() { FAULTS+=("$WHO: $1: $2"); }

# try running|stopped COMMAND
try() {
	local state=$1 command=$2 rc=0 answer
	words "$command"
	rm -rf "$MACHINE_TMP/file" "$MACHINE_TMP/dir"
	mkdir "$MACHINE_TMP/dir"
	put_golden
	[ "$state" = stopped ] || assemble_par
	[[ $command != *--restore=* ]] || "$MDADM" --dump="$MACHINE_TMP/dir" "${DEVS[@]}" >/dev/null 2>&1
	timeout 20 "$MDADM" "${WORDS[@]}" >"$MACHINE_TMP/said" 2>&1 </dev/null || rc=$?
	# What upstream's mdadm answers by its status alone, at any level: --continue of no reshape, too.
	[ "$rc" = 0 ] || [ -s "$MACHINE_TMP/said" ] || [[ $command =~ --(wait|detail|query|run|continue) ]] ||
		fault "$command" "refused with status $rc and without a word"
	answer=accepted
	[ "$rc" = 0 ] || answer="refused ($rc): $(grep -m 1 . "$MACHINE_TMP/said" || true)"
	if ! all_stopped; then
		fault "$command" "cannot be stopped"
		return
	fi
	if ! start_again "$command"; then
		fault "$command" "the array does not start: $SAID; $(log_since | grep md/par || true)"
		WAY='NOT AT ALL'
	elif [ "$(fingerprint $EVERY_MIB)" != "$SUM" ]; then
		fault "$command" "data is lost"
		WAY="$WAY, DATA LOST"
	fi
	all_stopped || fault "$command" "cannot be stopped at last"
	printf '%-40s | %-60s | starts %s | %s\n' "$WHO, $state" "$command" "$WAY" "${answer:0:150}"
}

# every MDADM GEAR [PATTERN]: the commands that match.
every() {
	local gear=$2 pattern=${3:-} command
	MDADM=$1
	[ -x "$MDADM" ] || { note "skipped: there is no ${MDADM#"$RAIDPAR_TOP/build/"}"; return; }
	START=
	[[ $MDADM != *-unpatched/* ]] || START='--force --run'
	WHO="$(basename "$(dirname "$MDADM")"), gear $gear"
	keep_golden "$gear"
	for command in "${RUNNING[@]}"; do [[ ! $command =~ $pattern ]] || try running "$command"; done
	for command in "${STOPPED[@]}"; do [[ ! $command =~ $pattern ]] || try stopped "$command"; done
}

every_begin() {
	mkdisks 6 24M
	SPARE=${DEVS[5]}
	DEVS=("${DEVS[@]:0:5}")
}

every_end() {
	rmdisks
	[ "${#FAULTS[@]}" = 0 ] || fail "$(printf '%s\n' "${#FAULTS[@]} faults:" "${FAULTS[@]}")"
}
