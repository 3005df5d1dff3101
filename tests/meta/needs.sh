#!/bin/bash
# tests/run starts a test once its needs are built; a need that is unavailable skips its tests, a failed build fails them.
set -euo pipefail
. "$(dirname "$0")/lib.sh"

mkdir -p build
TREE=$(mktemp -d "$PWD/build/needs.XXXX")
trap 'rm -rf "$TREE"' EXIT
mkdir -p "$TREE/scripts" "$TREE/tests/host" "$TREE/tests/machine/cases"
cp tests/run tests/*.py "$TREE/tests/"
printf '| \x60host\x60 | 2.5 |\n' >"$TREE/CONTRIBUTING.md"

script() { printf '%s\n' '#!/bin/bash' "${@:2}" >"$1"; chmod +x "$1"; }
has() { grep -qE -e "$1" <<<"$OUTPUT" || fail "should say /$1/, but says: $OUTPUT"; }
run() { run_for "$1" "$TREE/tests/run" "${@:2}"; }

# The builds take a second, and record when they ended.
# shellcheck disable=SC2016  # for the scripts
script "$TREE/scripts/build-module" 'cd "$(dirname "$0")/.."; sleep 1' 'case $1 in' \
	'7.2) echo "raid-par: error: cannot fetch it" >&2; exit 69 ;;' \
	'stock-6.12) echo "raid-par: error: does not compile" >&2; exit 1 ;;' 'esac; touch "built-$1"'
# shellcheck disable=SC2016  # for the scripts
script "$TREE/scripts/build-mdadm" 'cd "$(dirname "$0")/.."; [ "$1" != 4.4 ] || exit 69; touch "built-mdadm-$1"'
script "$TREE/scripts/build-paradm" 'echo "raid-par: error: no registry" >&2; exit 69'
cp "$TREE/scripts/build-paradm" "$TREE/scripts/build-tracer"
# machine BEFORE [AFTER]: a machine that runs the cases as programs of the host.
machine() {
	# shellcheck disable=SC2016  # for the script
	script "$TREE/tests/machine/run" 'cd "$(dirname "$0")/../.."' "$1" 'while [ "$1" != -- ]; do shift; done' 'shift; n=0' \
		'for script; do' 'echo "begin $n" >>"$RAIDPAR_OUT/events"; rc=0' '"$script" >"$RAIDPAR_OUT/$n.log" || rc=$?' \
		'[ "$rc" != 99 ] || exit 1' 'echo "end $n $rc" >>"$RAIDPAR_OUT/events"' '[ "$rc" = 0 ] || exit 0; n=$((n + 1))' 'done' "${2:-}"
}
machine '[ -e built-6.12-debug ] && [ -e built-mdadm-any ] || exit 1'

script "$TREE/tests/host/early.sh" '# Needs nothing.' '[ ! -e built-6.12-debug ]'
script "$TREE/tests/host/debug.sh" '# Needs a kernel.' '# needs: 6.12-debug' '[ -e built-6.12-debug ]'
script "$TREE/tests/host/stock.sh" '# Needs what does not compile.' '# needs: stock-6.12' 'exit 0'
script "$TREE/tests/host/other.sh" '# Needs a kernel that is not available.' '# needs: 7.2' 'exit 0'
script "$TREE/tests/host/maybe.sh" '# Waits for kernels that are not available.' '# needs: 6.12-debug 7.2? stock-6.12?' \
	'[ -e built-6.12-debug ]'
script "$TREE/tests/host/mdadm.sh" '# Needs each mdadm.' '# mdadm: 4.4 4.6' '# needs: mdadm-VERSION' 'exit 0'
script "$TREE/tests/host/last.sh" '# Runs alone.' '# alone: yes' '[ -e built-6.12-debug ]'
script "$TREE/tests/machine/cases/case.sh" '# A case: its machine tells what it needs.' 'exit 0'
script "$TREE/tests/machine/cases/besides.sh" '# A case that needs more than its machine.' \
	'# needs: mdadm-4.4-unpatched' 'exit 0'
script "$TREE/tests/machine/cases/paradm.sh" '# A case that needs paradm.' '# needs: paradm' 'exit 0'
script "$TREE/tests/host/tracer.sh" '# A test that needs raid-tracer, without which tests fail.' '# needs: raid-tracer' 'exit 0'
script "$TREE/tests/machine/cases/again.sh" '# A case in two machines.' '# again: --kernel stock-6.12' 'exit 0'
for jobs in 1 2; do
	rm -f "$TREE"/built-*
	run 1 --jobs "$jobs"
	for name in host/early host/debug host/maybe host/mdadm-4.6 host/last machine/case machine/again; do
		has "^ok +[0-9.]+ s  $name: "
	done
	has '^skipped +host/other: .* \(raid-par: error: cannot fetch it\)$'
	has '^skipped +host/mdadm-4.4: '
	has '^skipped +machine/paradm: .* \(raid-par: error: no registry\)$'
	has '^skipped +machine/besides: '
	[ "$(grep -c '^FAILED' <<<"$OUTPUT")" = 2 ] || fail "not reported exactly once: $OUTPUT"
	has '^FAILED +raid-tracer was not built, which 1 tests need: host/tracer$'
	has '^FAILED +stock-6.12 was not built, which 2 tests need: '
	has '    \| raid-par: error: does not compile'
	has '^tests took [0-9]+ s; builds [0-9]+ s$'
	[ "$(tail -n 1 <<<"$OUTPUT")" = '7 passed, 3 failed, 4 skipped' ] || fail "$OUTPUT"
done
echo "in time: ok, skipped by name, failed once"

# Only builds that a test needs are made.
rm -f "$TREE"/built-*
run 0 -k early
[ -z "$(find "$TREE" -name 'built-*')" ] || fail "something was built for nothing"

# Machines that have more memory together than the host run one after the other; one that has more alone, runs.
for name in one two three; do
	script "$TREE/tests/machine/cases/large-$name.sh" '# Takes all memory.' '# machine: --debug --mem 1000000G' \
		'# shares: no, its memory counts' 'exit 0'
done
# shellcheck disable=SC2016  # for the script
machine 'mkdir "$0.only"' 'sleep 0.3 && rmdir "$0.only"'
run 0 --jobs 3 -k large
[ "$(tail -n 1 <<<"$OUTPUT")" = '3 passed, 0 failed' ] || fail "$OUTPUT"
echo "not more than the memory of the host"

# Cases share a machine until one fails or dies, which alone has failed; one that lasts too long is killed.
# shellcheck disable=SC2016  # for the script
machine 'echo "$0" "$@" >>calls'
# shellcheck disable=SC2016  # for the scripts
for name in a b c d; do script "$TREE/tests/machine/cases/share-$name.sh" '# Passes.' 'echo "out of $0"'; done
script "$TREE/tests/machine/cases/share-bad.sh" '# Fails.' 'echo bad; exit 3'
script "$TREE/tests/machine/cases/share-dead.sh" '# Dies.' 'exit 99'
script "$TREE/tests/machine/cases/share-slow.sh" '# Takes too long.' '# timeout: -14' 'sleep 1000'
script "$TREE/tests/machine/cases/share-not.sh" '# Has a machine of its own.' '# shares: no, it says so' 'exit 0'
run 1 --jobs 1 -k share
[ "$(tail -n 1 <<<"$OUTPUT")" = '5 passed, 3 failed' ] || fail "$OUTPUT"
for name in a b c d not; do has "^ok +[0-9.]+ s  machine/share-$name: "; done
for name in bad dead slow; do has "^FAILED +[0-9.]+ s  machine/share-$name: "; done
has 'share-slow: Takes too long. \(killed after'
grep -q 'out of .*share-b' "$TREE/build/test-logs/machine-share-b.log" || fail "no output of its own"
[ "$(grep -c . "$TREE/calls")" -le 5 ] && [ "$(grep -c share-not "$TREE/calls")" = 1 ] || fail "machines: $(cat "$TREE/calls")"
echo "each case by itself in a shared machine"

# If no mdadm is available, the run fails.
script "$TREE/scripts/build-mdadm" 'echo "raid-par: error: neither" >&2; exit 69'
run 1 -k case
has '^FAILED +mdadm was not built, which 1 tests need: machine/case$'
echo "none of it without an mdadm"
