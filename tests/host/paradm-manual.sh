#!/bin/bash
# Each command of paradm and of raid-tracer has a man page with its options, and no page is of no command; man and the shells read pages and completions without a complaint; make install-man installs them.
set -euo pipefail
. "$(dirname "$0")/../../scripts/lib.sh"

"$TOP/scripts/build-paradm" >/dev/null
"$TOP/scripts/build-tracer" >/dev/null
share=$BUILD/tools/share
DEBUG=$BUILD/tools/debug
completions=(bash-completion/completions/paradm zsh/site-functions/_paradm fish/vendor_completions.d/paradm.fish)

fail() {
	echo "$*" >&2
	exit 1
}

for page in "$share"/man/man8/*.8; do
	said=$(groff -man -Tutf8 -ww -z "$page" 2>&1) || fail "$page: $said"
	[ -n "$said" ] || ! command -v mandoc >/dev/null || said=$(mandoc -T lint -W warning "$page" 2>&1 || true)
	[ -z "$said" ] || fail "$page: $said"
done
shown=$(groff -man -Tascii -P-cbou "$share/man/man8/paradm-shift.8")
grep -q -- '--no-wait' <<<"$shown" || fail "paradm-shift.8 lacks an option"

# commands COMMAND...: print its commands by its help; options: print its options.
commands() { "$DEBUG/$PROGRAM" "$@" --help | sed -n '/^Commands:/,/^$/s/^  \([a-z][a-z-]*\)\( .*\|$\)/\1/p' | grep -vx help || true; }
options() { "$DEBUG/$PROGRAM" "$@" --help | sed -n '/^Options:/,$p' | grep -oE '^ +(-[A-Za-z], )?--[a-z-]+' | grep -oE -- '--[a-z-]+' | sort -u; }

# has_page COMMAND...: the command and each of its commands have a page with exactly their options.
has_page() {
	local name page command
	name=$(tr ' ' - <<<"$PROGRAM $*" | sed 's/-$//')
	page=$share/man/man8/$name.8
	[ -f "$page" ] || fail "there is no page $name(8)"
	echo "$name.8" >>"$pages"
	[ "$(sed -n '/^.SH OPTIONS/,/^.SH/p' "$page" | sed 's/\\f[A-Z]//g; s/\\-/-/g' | grep -oE '^(-[A-Za-z], )?--[a-z-]+' |
		grep -oE -- '--[a-z-]+' | sort -u)" = "$(options "$@")" ] || fail "$name(8) has other options than the command"
	for command in $(commands "$@"); do has_page "$@" "$command"; done
}
pages=$(mktemp)
trap 'rm -rf "$pages" "${dest:-}"' EXIT
for PROGRAM in paradm raid-tracer; do has_page; done
[ "$(sort "$pages")" = "$(cd "$share/man/man8" && printf '%s\n' *.8 | sort)" ] ||
	fail "pages and commands: $(diff <(sort "$pages") <(cd "$share/man/man8" && ls))"

dest=$(mktemp -d)
make --no-print-directory -C "$TOP" install-man DESTDIR="$dest" PREFIX=/usr >/dev/null
for file in man/man4/md-par.4 man/man5/paradm-daemon.toml.5 man/man8/{par-smart,paradm,paradm-pin-set,raid-tracer,raid-tracer-trace-fit}.8 \
	"${completions[@]}"; do
	[ -s "$dest/usr/share/$file" ] || fail "make install-man does not install $file"
	[ "$(stat -c %a "$dest/usr/share/$file")" = 644 ] || fail "mode of $file"
done

# completes "WORD..." WORD: after these words, bash offers WORD.
completes() {
	bash -c '
		. "$1"
		COMP_WORDS=($2) COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
		declare -F _paradm_words >/dev/null
		_paradm_words paradm "${COMP_WORDS[COMP_CWORD]}" "${COMP_WORDS[COMP_CWORD - 1]}"
		printf "%s\n" "${COMPREPLY[@]}"
	' - "$share/bash-completion/completions/paradm" "$1" | grep -qx -- "$2" || fail "bash: \"$1\" is not completed to $2"
}
completes "paradm sta" status
completes "paradm pin se" set
completes "paradm shift --no" --no-wait
completes "paradm status --color al" always
completes "paradm policy set up_thr" up_threshold=
completes "paradm shift to" top

# The same words by the other shells: zsh has them only while a user types, so its own functions are looked at there.
if command -v fish >/dev/null; then
	fish_completes() {
		# shellcheck disable=SC2016  # for fish
		fish --no-config -c 'source $argv[1]; complete -C "$argv[2]"' "$share/fish/vendor_completions.d/paradm.fish" "$1" |
			cut -f 1 | grep -qx -- "$2" || fail "fish: \"$1\" is not completed to $2"
	}
	fish_completes "paradm sta" status
	fish_completes "paradm policy set up_thr" up_threshold=
	fish_completes "paradm shift to" top
	fish_completes "paradm pin set low" lowest
	# shellcheck disable=SC2016  # for fish
	said=$(fish --no-config -c 'source $argv[1]; function __fish_paradm_arrays; echo md7; end
		complete -C "paradm status m"; complete -C "paradm pin set top m"; complete -C "paradm policy set hold=9 --array m"' \
		"$share/fish/vendor_completions.d/paradm.fish" | cut -f 1)
	[ "$said" = $'md7\nmd7\nmd7' ] || fail "fish: arrays are not completed: $said"
fi
if command -v zsh >/dev/null; then
	# shellcheck disable=SC2016  # for zsh
	said=$(zsh -f -c 'compdef() { :; }; source $1; compadd() { print -l -- "$@"; }; _paradm_gears up; _paradm_settings; _paradm_arrays' \
		- "$share/zsh/site-functions/_paradm") || fail "zsh: the words of arrays, gears and settings: $said"
	for word in up top lowest up_threshold=; do grep -qx "$word" <<<"$said" || fail "zsh: no $word: $said"; done
fi
[ "$(grep -c "array.*:_paradm_arrays'" "$share/zsh/site-functions/_paradm")" -ge 20 ] || fail "zsh: arguments are not completed to arrays"
for function in '_paradm_gears up down' _paradm_gears _paradm_settings; do
	grep -q ":$function' " "$share/zsh/site-functions/_paradm" || fail "zsh: nothing is completed by $function"
done

for shell in zsh fish; do
	command -v "$shell" >/dev/null || continue
	"$shell" -n "$share"/"$shell"/*/*paradm* || fail "$shell cannot read its completions"
done
