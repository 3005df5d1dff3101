#!/bin/bash
# The test machine returns the command's status and output, and passes its arguments.
# needs: 6.12-debug
set -euo pipefail
. "$(dirname "$0")/lib.sh"

run_for 7 "$MACHINE" --debug -- sh -c 'exit 7'

mkdir -p build
out=$(mktemp -d build/status.XXXX)
trap 'rm -rf "$out"' EXIT
# shellcheck disable=SC2016  # for the machine
RAIDPAR_OUT=$out "$MACHINE" --debug -- bash -c '
	printf "%s|" "$@"; pwd
	head -c 300000 /dev/zero | tr "\0" x
	printf "to stderr\n" >&2
	[ ! -t 1 ] && echo shared >"$RAIDPAR_OUT/file"' - 'a b' '' '$c"' >"$out/stdout" 2>"$out/stderr" </dev/null

[ "$(head -n 1 "$out/stdout")" = "a b||\$c\"|$PWD" ] || fail "arguments or directory: $(head -n 1 "$out/stdout")"
[ "$(tail -n +2 "$out/stdout" | wc -c)" = 300000 ] || fail "output is cut: $(wc -c <"$out/stdout")"
[ "$(grep -v '^raid-par: ' "$out/stderr")" = 'to stderr' ] || fail "stderr: $(cat "$out/stderr")"
[ "$(cat "$out/file")" = shared ] || fail "RAIDPAR_OUT is not shared"
echo "status, arguments, output and results are passed"
