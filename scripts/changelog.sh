# shellcheck shell=bash
# Changelogs of Debian packages, from CHANGELOG.md. To be sourced after lib.sh; SOURCE_DATE_EPOCH and MAINTAINER are set.

# changelog SOURCE VERSION SUITE: print an entry in the format of debian/changelog. Its items are read from stdin.
changelog() {
	local items
	items=$(cat)
	[ -n "$items" ] || { echo "the changelog of $1 $2 has no items" >&2; return 1; }
	printf '%s (%s) %s; urgency=medium\n\n%s\n\n -- %s  %s\n' "$1" "$2" "$3" "$items" \
		"$MAINTAINER" "$(date -u -R -d "@$SOURCE_DATE_EPOCH")"
}

# The newest entry of CHANGELOG.md, as dpkg writes items: no line is longer than 80 characters.
newest_changes() {
	awk '/^## / { n++; next } n == 1' "$TOP/CHANGELOG.md" | sed -nE 's/^\* /  * /p; s/^  ([^ ])/    \1/p' |
		fold -s -w 76 | sed -E 's/^([^ ])/    \1/; s/ +$//'
}
