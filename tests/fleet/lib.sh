# shellcheck shell=bash
# For the tests of parfleet, to be sourced: python FILE runs the tests in FILE, in_cluster a scenario of bed/.
# shellcheck source=../../scripts/lib.sh
. "$(dirname "${BASH_SOURCE[0]}")/../../scripts/lib.sh"

# Debian's Python, which has python3-hypothesis.
python() { PYTHONPATH=$TOP/tools/parfleet /usr/bin/python3 -B "$TOP/tests/fleet/$1" "${@:2}"; }

# in_cluster HOSTS SCENARIO [NAME=VALUE...]: run bed/SCENARIO in a new cluster on 1 or 2 hosts. SUITE=trixie: with
# Debian 13's Ceph.
in_cluster() {
	local bed=$TOP/tests/fleet/bed root
	[ "$(id -u)" = 0 ] || { echo "SKIP: needs root"; exit 77; }
	root=$("$bed/root" "${SUITE:-bookworm}") || exit
	CLUSTER=$(mktemp -d)
	trap '"$TOP/tests/fleet/bed/cluster" "$CLUSTER" stop; sleep 1; rm -rf --one-file-system "$CLUSTER"' EXIT
	"$bed/cluster" "$CLUSTER" start "$root" "$1"
	# The overlay is mounted in the cluster's namespace only.
	tar -C "$TOP/tools" -c parfleet | "$bed/cluster" "$CLUSTER" in tar -C /lab -x
	tar -C "$TOP/tests/fleet" -c bed | "$bed/cluster" "$CLUSTER" in tar -C /lab -x
	"$bed/cluster" "$CLUSTER" in tee /lab/bed/parfleet.md <"$TOP/Documentation/parfleet.md" >/dev/null
	"$bed/cluster" "$CLUSTER" in "${@:3}" python3 -B "/lab/bed/$2" || { "$bed/cluster" "$CLUSTER" said >&2; return 1; }
}
