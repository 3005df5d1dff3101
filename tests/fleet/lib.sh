# shellcheck shell=bash
# For the tests of parfleet, to be sourced: python FILE runs the tests in FILE.
# shellcheck source=../../scripts/lib.sh
. "$(dirname "${BASH_SOURCE[0]}")/../../scripts/lib.sh"

# Debian's Python, which has python3-hypothesis.
python() { PYTHONPATH=$TOP/tools/parfleet /usr/bin/python3 -B "$TOP/tests/fleet/$1" "${@:2}"; }
