# shellcheck shell=bash
# For mutations/*, each of which is called with the directory of a copy of the module: replace
# text, and fail if the text does not exist any more, so that a mutation cannot become void
# when the module changes.
set -euo pipefail

# exchange TIMES FILE OLD NEW: literally. FILE is named without its directory: one file of the
# module has that name.
exchange() {
	local files
	mapfile -t files < <(find . -name "$2")
	[ "${#files[@]}" = 1 ] || { echo "the module has ${#files[@]} files named $2" >&2; return 1; }
	TIMES=$1 OLD=$3 NEW=$4 perl -0777 -i -pe '
		my $count = s/\Q$ENV{OLD}\E/$ENV{NEW}/g || 0;
		die "$ARGV: what the mutation replaces is there $count times\n"
			unless $ENV{TIMES} eq "all" ? $count : $count == $ENV{TIMES}' "${files[0]}"
}

# replace FILE OLD NEW: OLD must be there exactly once; replace_all: at least once.
replace() { exchange 1 "$@"; }
replace_all() { exchange all "$@"; }

cd "${1:?the directory of a copy of the module}"
