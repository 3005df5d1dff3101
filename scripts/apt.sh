# shellcheck shell=bash
# Other suites of Debian than the system's own: read through an apt state of our
# own in the cache, so that the system's configuration stays as it is. To be
# sourced after lib.sh.

# The mirror that the system itself uses for its main suite.
mirror() {
	local codename
	codename=$(. /etc/os-release && echo "$VERSION_CODENAME")
	# shellcheck disable=SC2016  # apt expands these
	apt-get indextargets --format '$(RELEASE) $(SITE)' 'Created-By: Packages' |
		awk -v c="$codename" '($1 == c || $1 == "stable") && !n++ { print $2 }'
}

keyring() {
	local file
	for file in /usr/share/keyrings/debian-archive-keyring.{pgp,gpg}; do
		[ ! -f "$file" ] || { echo "$file"; return; }
	done
	die "no keyring of the Debian archive: install debian-archive-keyring"
}

# suite_apt SUITE PROGRAM ARG...: apt with SUITE as its only source.
suite_apt() {
	local suite=$1 program=$2 state=$CACHE/apt/$1
	shift 2
	[ "$suite" != own ] || { "$program" -o APT::Sandbox::User=root "$@"; return; }
	"$program" -o Dir::Etc::sourcelist="$state/sources.list" -o Dir::Etc::sourceparts=/dev/null \
		-o Dir::Etc::preferencesparts=/dev/null -o Dir::State::lists="$state/lists" \
		-o Dir::Cache="$state/cache" -o Dir::State::status=/dev/null \
		-o APT::Default-Release= -o APT::Sandbox::User=root -o Acquire::Retries=3 \
		-o Acquire::Languages=none "$@"
}

update_suite() {
	local suite=$1 state=$CACHE/apt/$1 site ring
	update_own
	[ "$suite" != own ] || return 0
	[ -z "$(find "$state/updated" -mmin -600 2>/dev/null)" ] || return 0
	site=$(mirror)
	[ -n "$site" ] || die "apt has no Debian mirror configured (has apt-get update been run?)"
	ring=$(keyring)
	mkdir -p "$state"/{lists,cache}
	printf "%s [signed-by=$ring] $site $suite main\n" deb deb-src >"$state/sources.list"
	suite_apt "$suite" apt-get -qq update >&2 || return 1
	touch "$state/updated"
}

# apt names only what it has lists of, and a fresh system has read none yet.
update_own() {
	[ -n "$(mirror)" ] || apt-get -qq update >&2
}
