# shellcheck shell=bash
# For mutations/*, each of which is called with the directory of a copy of the
# module: replace what it takes away, and fail if it is not there any more, so
# that a mutation cannot come to mean nothing when the module changes.
set -euo pipefail

# replace FILE OLD NEW: literally, and OLD must be there exactly once.
replace() {
	OLD=$2 NEW=$3 perl -0777 -i -pe '
		my $count = s/\Q$ENV{OLD}\E/$ENV{NEW}/g;
		die "$ARGV: what the mutation replaces is there " . ($count || 0) . " times\n"
			unless $count == 1' "$1"
}

cd "${1:?the directory of a copy of the module}"
