#!/bin/bash
# parfleet's packages run from where they are installed, leave nothing, and have pages and completions of all options.
set -euo pipefail
. "$(dirname "$0")/lib.sh"

WORK=$(mktemp -d)
trap 'rm -rf "$WORK"' EXIT
ROOT=$WORK/root

fail() { printf '%s\n' "FAILED: $*"; exit 1; }

# Of a tree of its own: the packages in build/deb/fleet are those of whoever builds them.
mkdir "$WORK/tree"
cp -r "$TOP"/{scripts,tools,packaging,Documentation,CHANGELOG.md} "$WORK/tree/"
mkdir -p "$WORK/tree/drivers/md/raid-par"
cp "$TOP/drivers/md/raid-par/personality.c" "$WORK/tree/drivers/md/raid-par/"
find "$WORK/tree" -name __pycache__ -exec rm -rf {} +
mapfile -t DEBS < <("$WORK/tree/scripts/build-fleet" 2>/dev/null)
[ ${#DEBS[@]} = 2 ] || fail "packages: ${DEBS[*]}"
sum=$(sha256sum "${DEBS[@]}")
sleep 1
"$WORK/tree/scripts/build-fleet" >/dev/null 2>&1
[ "$sum" = "$(sha256sum "${DEBS[@]}")" ] || fail "a second build makes other packages"
for deb in "${DEBS[@]}"; do dpkg-deb -x "$deb" "$ROOT"; done
find "$ROOT" | sort >"$WORK/before"

# Each program that a unit starts is there, and says what it is.
while read -r command; do
	program=$(grep -oE '/usr/(bin|share)/par[^ ]+' <<<"$command")
	/usr/bin/python3 -B "$ROOT$program" --help >"$WORK/said" || fail "$command"
	grep -q "^usage: parfleet" "$WORK/said" || fail "$command says: $(cat "$WORK/said")"
done < <(sed -n 's/^ExecStart=//p' "$ROOT"/usr/lib/systemd/system/*)
[ "$(find "$ROOT/usr/lib/systemd/system" -type f | wc -l)" = 4 ] || fail "units"
! grep -r /opt/ "$ROOT" || fail "a file names /opt"
status=0
"$ROOT/usr/bin/parfleet" --config /dev/null --ceph-conf /nonexistent status 2>"$WORK/said" || status=$?
[[ $status =~ ^[38]$ ]] || fail "without a cluster: status $status, $(cat "$WORK/said")"
find "$ROOT" | sort | diff "$WORK/before" - || fail "running it leaves files behind"

# Pages: each option of each program, and no complaint of groff.
for page in "$ROOT"/usr/share/man/man*/*.gz; do
	zcat "$page" >"$WORK/page"
	said=$(groff -man -Tutf8 -ww -z "$WORK/page" 2>&1) || fail "$page: $said"
	[ -z "$said" ] || fail "$page: $said"
done
zcat "$ROOT/usr/share/man/man8/parfleet.8.gz" | sed 's/\\-/-/g' >"$WORK/page"
"$ROOT/usr/bin/parfleet" --help >"$WORK/help"
commands=$(sed -n '/^  COMMAND/,/^$/s/^    \([a-z]*\) .*/\1/p' "$WORK/help")
[ "$(wc -w <<<"$commands")" -ge 13 ] || fail "commands: $commands"
for command in $commands; do
	grep -q "^\\\\fB$command" "$WORK/page" || fail "parfleet(8) lacks $command"
	for option in $("$ROOT/usr/bin/parfleet" "$command" --help | grep -oE -- '--[a-z-]+' | sort -u); do
		[ "$option" = --help ] || grep -qF -- "$option" "$WORK/page" || fail "parfleet(8) lacks $command $option"
	done
done

# completes WORD...: what bash offers for the last word.
completes() {
	bash -c '. "$1"; shift; COMP_WORDS=("$@") COMP_CWORD=$(($# - 1)); _parfleet; echo "${COMPREPLY[*]}"' - \
		"$ROOT/usr/share/bash-completion/completions/parfleet" "$@"
}
[ "$(completes parfleet g)" = gear ] || fail "g: $(completes parfleet g)"
[ "$(completes parfleet --json hold f)" = freeze ] || fail "hold f: $(completes parfleet --json hold f)"
[ "$(completes parfleet release --a)" = --all ] || fail "release --a"
for command in $commands; do
	grep -q "^$command)" "$ROOT/usr/share/zsh/vendor-completions/_parfleet" || fail "zsh lacks $command"
	grep -q -- "-a $command " "$ROOT/usr/share/fish/vendor_completions.d/parfleet.fish" || fail "fish lacks $command"
done

# Maintainer scripts: nothing is enabled; a removal stops what runs, a purge removes what was kept.
for deb in "${DEBS[@]}"; do
	dpkg-deb -e "$deb" "$WORK/control"
	zcat "$ROOT/usr/share/doc/$(dpkg-deb -f "$deb" Package)/changelog.gz" >"$WORK/changelog"
	[ "$(dpkg-parsechangelog -l "$WORK/changelog" -S Version)" = "$(dpkg-deb -f "$deb" Version)" ] || fail "the changelog of $deb"
	! grep -E '(systemctl|deb-systemd).* (enable|start)' "$WORK"/control/postinst || fail "a package enables a unit"
	grep -q 'disable --now parfleet' "$WORK/control/prerm" || fail "a removal leaves units running"
	for script in postinst prerm postrm; do
		sh -n "$WORK/control/$script"
		! grep '#[A-Z]' "$WORK/control/$script" || fail "$script is not filled in"
	done
	rm -r "$WORK/control"
done
