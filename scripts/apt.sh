# shellcheck shell=bash
# Access to Debian suites other than the system's own, through a separate apt state in the
# cache: the system's apt configuration is not changed. To be sourced after lib.sh.
#
# RAIDPAR_MIRROR='[OPTIONS] URI' selects another mirror, written as in sources.list(5).
# The system's own apt is not used then:
# RAIDPAR_MIRROR='[signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] https://mirror.example/debian'

# REASON is one line that says why the last function of this file failed.
REASON=

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

# Print the options and the URI for a line of sources.list. Fails if apt knows no mirror.
archive() {
	local site ring
	[ -z "${RAIDPAR_MIRROR:-}" ] || { echo "$RAIDPAR_MIRROR"; return; }
	site=$(mirror)
	[ -n "$site" ] || return 1
	ring=$(keyring) || return 1
	echo "[signed-by=$ring] $site"
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
		-o APT::Update::Error-Mode=any -o Acquire::Languages=none "$@"
}

# apt_reason LOG: the first error in the log of an apt program, shortened to a line.
apt_reason() {
	{ grep '^E: ' "$1" || tail -n 1 "$1"; } |
		sed -n '1{s/^E: //; s,^Failed to fetch [^ ]*/\([^ /]*\) *,\1: ,; s/ *\[IP: .*//; s/%2b/+/g; s/  */ /g; p}'
}

# try_apt LOG COMMAND...
try_apt() {
	local log=$1
	shift
	"$@" >"$log" 2>&1 || { REASON=$(apt_reason "$log"); return 1; }
}

# read_lists SUITE: read the index again. If the mirror cannot be reached, the old index stays.
read_lists() {
	local suite=$1 state=$CACHE/apt/$1
	mkdir -p "$state"/{lists,cache}
	if ! try_apt "$state/update.log" suite_apt "$suite" apt-get -qq update; then
		log "the package index of ${suite/#own/this system} cannot be read: $REASON"
		return 1
	fi
	touch "$state/updated"
}

# read_within SUITE MINUTES: was the index read in the last MINUTES?
read_within() { [ -n "$(find "$CACHE/apt/$1/updated" -mmin "-$2" 2>/dev/null)" ]; }

# Name the mirror in sources.list. The index of a different mirror is discarded.
name_archive() {
	local suite=$1 state=$CACHE/apt/$1 site new
	[ "$suite" != own ] || return 0
	site=$(archive) || return 1
	new=$(printf "%s $site $suite main\n" deb deb-src)
	[ "$new" != "$(cat "$state/sources.list" 2>/dev/null)" ] || return 0
	rm -rf "$state"
	mkdir -p "$state"
	printf '%s\n' "$new" >"$state/sources.list"
}

# An index that was read before is good enough if the mirror cannot be reached now.
update_locked() {
	local suite=$1
	name_archive "$suite" || { REASON="apt has no Debian mirror configured"; return 1; }
	[ "$suite" != own ] || return 0
	read_within "$suite" 600 || read_lists "$suite" || [ -e "$CACHE/apt/$suite/updated" ]
}

renew_locked() { ! read_within "$1" "$FRESH" && read_lists "$1"; }

# The age in minutes up to which an index is not read again.
FRESH=10

# update_suite SUITE: read the index of SUITE if there is none or if it is old.
update_suite() {
	[ -n "${RAIDPAR_MIRROR:-}" ] || update_own
	if [ "$1" = own ] && [ -n "${RAIDPAR_MIRROR:-}" ]; then
		REASON="RAIDPAR_MIRROR is set"
		return 1
	fi
	with_lock "apt-$1" update_locked "$1"
}

# renew_suite SUITE: read the index again after a mirror did not have a file that the index
# names. The new index may name another version. Fails if the index was read just now.
renew_suite() { with_lock "apt-$1" renew_locked "$1"; }

# Read the system's own index on a fresh system: apt names no mirror before that.
update_own() {
	[ -n "$(mirror)" ] || apt-get -qq update >&2 || true
}

# versions_of SUITE show|showsrc PACKAGE PREFIX: the three newest versions in the index, the
# newest first.
versions_of() {
	suite_apt "$1" apt-cache "$2" "$3" 2>/dev/null | sed -n 's/^Version: //p' |
		grep -E "^([0-9]+:)?${4//./\\.}([^0-9]|\$)" | sort -rVu | head -n 3
}

# download_deb SUITE DIR PACKAGE...
download_deb() { (cd "$2" && suite_apt "$1" apt-get -qq download "${@:3}"); }

# download_source SUITE DIR PACKAGE=VERSION [OPTION...]
download_source() { (cd "$2" && suite_apt "$1" apt-get -qq source --only-source "${@:4}" "$3"); }

# kernel_tar DIR: the kernel's tree as a tar archive, from the linux-source package or
# else from the upstream tarball in DIR.
kernel_tar() {
	local file
	for file in "$1"/linux-source-*.deb; do
		[ -f "$file" ] || continue
		dpkg-deb --fsys-tarfile "$file" | tar -xOf - --wildcards '*/linux-source-*.tar.xz' | xz -dc -T0
		return
	done
	xz -dc -T0 "$1"/linux_*.orig.tar.xz
}
