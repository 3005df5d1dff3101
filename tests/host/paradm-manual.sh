#!/bin/bash
# The man pages and completions that `make paradm` writes are read by man and by the shells, without a complaint.
# timeout: 300
set -euo pipefail
. "$(dirname "$0")/../../scripts/lib.sh"

"$TOP/scripts/build-paradm" >/dev/null
share=$BUILD/paradm/share

fail() {
	echo "$*" >&2
	exit 1
}

for page in "$share"/man/man8/paradm*.8; do
	said=$(groff -man -Tutf8 -ww -z "$page" 2>&1) || fail "$page: $said"
	[ -z "$said" ] || fail "$page: $said"
done
shown=$(groff -man -Tascii -P-cbou "$share/man/man8/paradm-shift.8")
grep -q -- '--no-wait' <<<"$shown" || fail "paradm-shift.8 lacks an option"

# completes "WORD..." WORD: with these typed, bash offers the word.
completes() {
	bash -c '
		. "$1"
		COMP_WORDS=($2) COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
		declare -F _paradm >/dev/null
		_paradm paradm "${COMP_WORDS[COMP_CWORD]}" "${COMP_WORDS[COMP_CWORD - 1]}"
		printf "%s\n" "${COMPREPLY[@]}"
	' - "$share/bash-completion/completions/paradm" "$1" | grep -qx -- "$2" || fail "bash: \"$1\" is not completed to $2"
}
completes "paradm sta" status
completes "paradm pin se" set
completes "paradm shift --no" --no-wait
completes "paradm status --color al" always

for shell in zsh fish; do
	command -v "$shell" >/dev/null || continue
	"$shell" -n "$share"/"$shell"/*/*paradm* || fail "$shell cannot read its completions"
done
