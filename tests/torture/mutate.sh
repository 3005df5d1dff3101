# shellcheck shell=bash
# For mutations/*, each of which is called with the directory of a copy of the
# module: replace what it takes away, and fail if it is not there any more, so
# that a mutation cannot come to mean nothing when the module changes.
set -euo pipefail

# replace FILE OLD NEW: literally, and OLD must be there exactly once. FILE is named without its
# directory: one file of the module has that name.
replace() {
	local files
	mapfile -t files < <(find . -name "$1")
	[ "${#files[@]}" = 1 ] || { echo "the module has ${#files[@]} files named $1" >&2; return 1; }
	OLD=$2 NEW=$3 perl -0777 -i -pe '
		my $count = s/\Q$ENV{OLD}\E/$ENV{NEW}/g;
		die "$ARGV: what the mutation replaces is there " . ($count || 0) . " times\n"
			unless $count == 1' "${files[0]}"
}

cd "${1:?the directory of a copy of the module}"
