# shellcheck shell=bash
# Functions that the scripts share. To be sourced after `set -euo pipefail`.

TOP=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
# shellcheck disable=SC2034  # used by scripts that source this file
BUILD=$TOP/build
CACHE=${XDG_CACHE_HOME:-$HOME/.cache}/raid-par
# Make's job server and flags must not reach the builds started here: a kernel's makefiles take
# V=, M= and O= from them.
unset MAKEFLAGS MFLAGS MAKELEVEL

log() { printf '%s\n' "raid-par: $*" >&2; }
die() { log "error: $*"; exit 1; }
usage_error() { log "$*"; exit 2; }

# The exit status if no mirror has a package. Callers and tests distinguish it from a build
# that fails: it is not a fault of the sources.
UNAVAILABLE=69
unavailable() { log "error: $*"; exit "$UNAVAILABLE"; }

# content_key FILE-OR-WORD...: a short hash over the files' contents and the words.
content_key() {
	local item
	for item in "$@"; do
		if [ -f "$item" ]; then cat "$item"; else printf '%s\n' "$item"; fi
	done | sha256sum | cut -c1-12
}

# with_lock NAME COMMAND...: run COMMAND while holding the lock NAME. COMMAND is not part of a
# condition, so -e is in force in it.
with_lock() {
	local name=$1 fd
	shift
	mkdir -p "$CACHE/locks"
	exec {fd}>"$CACHE/locks/$name"
	if ! flock -n "$fd"; then
		log "waiting for another build of $name"
		flock "$fd"
	fi
	"$@"
	exec {fd}>&-
}

# cache_entry DIR COMMAND...: make DIR by COMMAND, which gets an empty directory as its last
# argument. That directory is then renamed to DIR: DIR is complete, or does not exist.
cache_entry() {
	local dir=$1 new
	shift
	[ ! -d "$dir" ] || return 0
	mkdir -p "$(dirname "$dir")"
	rm -rf "$dir".new.*
	new=$(mktemp -d "$dir.new.XXXXXX")
	chmod 755 "$new"
	"$@" "$new" || { rm -rf "$new"; return 1; }
	mv -T "$new" "$dir"
}

# Show a compiler's errors and warnings in a log, or the end of the log if there are none.
show_errors() {
	grep -E -A 8 '(error|warning): |undefined!|multiple definition|No rule to make' "$1" | head -n 60 >&2 ||
		tail -n 30 "$1" >&2
}

# tell_progress FILE WHAT SHELL: each PROGRESS seconds, a line that WHAT goes on, with the last line of FILE; until it is
# killed, or the process SHELL has ended.
tell_progress() {
	local seconds=0
	while sleep 1 >/dev/null 2>&1 && kill -0 "$3" 2>/dev/null; do
		seconds=$((seconds + 1))
		[ $((seconds % ${PROGRESS:-30})) -ne 0 ] ||
			log "$2: $seconds s, $(wc -l <"$1") lines of output, the last: $(tail -n 1 "$1" | tr -d '\r' | cut -c -60)"
	done
}

# run_logged FILE WHAT COMMAND...: run COMMAND with its output in FILE. If it fails, show the
# errors and name FILE.
run_logged() {
	local file=$1 what=$2 start=$SECONDS shell=$BASHPID teller
	shift 2
	mkdir -p "$(dirname "$file")"
	log "$what"
	: >"$file"
	tell_progress "$file" "$what" "$shell" &
	teller=$!
	# COMMAND may be a function that waits for its own jobs.
	disown "$teller"
	if ! "$@" >"$file" 2>&1 </dev/null; then
		kill "$teller" 2>/dev/null || true
		show_errors "$file"
		die "$what: failed, see $file"
	fi
	kill "$teller" 2>/dev/null || true
	log "$what: done in $((SECONDS - start)) s"
}

# The version of the module, the tool and the packages, and in the suffix of mdadm's version.
project_version() { sed -n 's/^MODULE_VERSION("\(.*\)");/\1/p' "$TOP/drivers/md/raid-par/personality.c"; }

# The day of the newest version in CHANGELOG.md, in seconds since 1970: the time of all files in
# packages built from this tree.
release_time() { date -u +%s -d "$(sed -n 's/^## [0-9.]* (\(.*\))$/\1/p' "$TOP/CHANGELOG.md" | head -n 1)"; }

# Of packages: DEBEMAIL (and DEBFULLNAME), as with Debian's own tools; otherwise that of packaging/debian/control.
maintainer() {
	local usual
	usual=$(sed -n 's/^Maintainer: //p' "$TOP/packaging/debian/control")
	echo "${DEBFULLNAME:-${usual% <*}} <${DEBEMAIL:-$(sed 's/.*<\(.*\)>/\1/' <<<"$usual")}>"
}
