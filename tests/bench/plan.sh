# shellcheck shell=bash
# Functions for benches that are plans of raid-tracer evaluate (Documentation/raid-tracer.md).
. "$(dirname "${BASH_SOURCE[0]}")/../../scripts/lib.sh"

# shellcheck disable=SC2034 # for scripts that source this file
TRACER=$("$TOP/scripts/build-tracer")

# array NAME COMMAND [OPTION...]: print an array of a plan, which tests/bench/COMMAND makes or computes.
array() {
	local words
	printf -v words '"%s", ' "$TOP/tests/bench/$2" "${@:3}"
	printf '[[arrays]]\nname = "%s"\ncommand = [%s]\n' "$1" "${words%, }"
}

# ask DATABASE QUERY: print its rows, with spaces between the values. The view change has what each counter grew by.
ask() {
	python3 - "$@" <<-'PY'
		import sqlite3, sys
		db = sqlite3.connect(sys.argv[1])
		db.execute("CREATE TEMP VIEW change AS SELECT test, replace(replace(name, rtrim(name, replace(name, '/', '')), ''), '/', '')"
		           " AS name, last - first AS value FROM counters")
		for row in db.execute(sys.argv[2]):
		    print(*row)
	PY
}

# none DATABASE QUERY: exit with status 1 if there are rows, which are printed.
none() { if ask "$@" | grep .; then exit 1; fi; }
