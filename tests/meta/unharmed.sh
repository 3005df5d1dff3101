#!/bin/bash
# Nothing that is done in a test machine reaches the host's files or devices.
# needs: 6.12-debug
set -euo pipefail
. "$(dirname "$0")/lib.sh"

mkdir -p build
dir=$(mktemp -d "$PWD/build/unharmed.XXXX")
trap 'rm -rf "$dir"' EXIT
echo precious >"$dir/file"
mkdir "$dir/tree"
echo precious >"$dir/tree/file"

run_for 0 "$MACHINE" --debug -- bash -ec "
	rm -rf '$dir/tree'
	echo spoiled >'$dir/file'
	touch '$dir/new'
	chmod 777 '$dir'
	[ ! -e '$dir/tree' ] && [ \$(cat '$dir/file') = spoiled ]
	! ls /dev/[svh]d* /dev/xvd* /dev/nvme* 2>/dev/null
	! ls /.host 2>/dev/null
	[ \$(ls /sys/block | grep -cv loop) = 0 ]"
[ "$(cat "$dir/file")" = precious ] || fail "a file was changed"
[ "$(cat "$dir/tree/file")" = precious ] || fail "a tree was deleted"
[ ! -e "$dir/new" ] || fail "a file was created"
[ "$(stat -c %a "$dir")" = 700 ] || fail "a mode was changed"
echo "unharmed"
