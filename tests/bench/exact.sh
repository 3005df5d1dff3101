#!/bin/bash
# The exact bench counts the same instructions in two rounds, and more for a module that needs more.
# needs: stock-6.12
# rare: yes
# timeout: 900
set -euo pipefail
. "$(dirname "$0")/../../scripts/lib.sh"

LINES='^rand-(read|write)-4k$'
WORK=$(mktemp -d "$BUILD/exact-test.XXXX")
trap 'rm -rf "$WORK"' EXIT

# exact STATUS OPTION...: what it prints, if it ends so.
exact() {
	local want=$1 rc=0
	shift
	"$TOP/tests/bench/exact" --lines "$LINES" "$@" || rc=$?
	[ "$rc" != "$UNAVAILABLE" ] || exit "$rc"
	[ "$rc" = "$want" ] || die "tests/bench/exact $*: status $rc, want $want"
}

# About 150 instructions more in each request to a virtual member.
make_wasteful() {
	local file
	mkdir -p "$WORK/tree/drivers/md"
	cp -r "$TOP/drivers/md/raid-par" "$WORK/tree/drivers/md/"
	cp -r "$TOP/scripts" "$WORK/tree/"
	file=$(grep -rl '\.submit_bio = vmember_submit_bio,' "$WORK/tree/drivers/md/raid-par") ||
		die "the virtual members' submit_bio is not found"
	perl -0777 -i -pe 's/\.submit_bio = \Kvmember/wasteful/;
		s/(?=const struct block_device_operations par_vmember_fops)/static void wasteful_submit_bio(struct bio *bio)
{
	int i;

	for (i = 0; i < 50; i++)
		barrier();
	vmember_submit_bio(bio);
}

/' "$file"
	grep -q '^static void wasteful_submit_bio' "$file" || die "the virtual members' operations are not found"
}

exact 0 --kinds '^(par:5|raid5)$'
make_wasteful
exact 1 --rounds 1 --kinds '^par:5$' --module-tree "$TOP" --module-tree "$WORK/tree" 2>"$WORK/said"
cat "$WORK/said" >&2
grep -q 'percent apart, more than 1' "$WORK/said" || die "it does not say how far apart they are"
