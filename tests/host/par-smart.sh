#!/bin/bash
# par-smart gives up on a disk that does not answer in time, even one that keeps a killed smartctl, and queries the others.
# subject: power
set -euo pipefail
. "$(dirname "$0")/../../scripts/lib.sh"

unshare --map-root-user --mount true 2>/dev/null || { echo "SKIP: no user namespaces here"; exit 77; }
DIR=$(mktemp -d)
trap 'rm -rf "$DIR"' EXIT

# The files that par-smart reads of an array of three members.
for member in 0 1 2; do
	disk=sd$(printf 'abc' | cut -c $((member + 1)))
	mkdir -p "$DIR/sys/block/$disk" "$DIR/sys/block/md0/md/rd$member" "$DIR/sys/block/md0/md/par/member$member"
	ln -s "/sys/block/$disk" "$DIR/sys/block/md0/md/rd$member/block"
	echo active >"$DIR/sys/block/md0/md/par/member$member/power_state"
done
mkdir "$DIR/bin"
# The smartctl for sda ignores SIGTERM. The one for sdb cannot be killed, and timeout waits for it, as for a process that
# waits for a device.
cat >"$DIR/bin/smartctl" <<'END'
#!/bin/bash
echo "smartctl $*"
case $* in
*/dev/sda) trap '' TERM; sleep 30; sleep 30 ;;
esac
END
cat >"$DIR/bin/timeout" <<'END'
#!/bin/bash
case $* in
*/dev/sdb) trap '' TERM; sleep 12; exit ;;
esac
exec /usr/bin/timeout "$@"
END
chmod 755 "$DIR"/bin/*
cat >"$DIR/inside" <<'END'
set -eu
mount --bind "$1/sys" /sys
PATH=$1/bin:$PATH exec "$2/extras/par-smart" --state "$1/state" --limit 1 md0
END
began=$SECONDS status=0
said=$(unshare --map-root-user --mount bash "$DIR/inside" "$DIR" "$TOP") || status=$?
wanted="md0 member 0 (sda): does not answer within 1 s
md0 member 1 (sdb): does not answer within 1 s
md0 member 2 (sdc): healthy"
[ "$said" = "$wanted" ] || { echo "it says: $said" >&2; exit 1; }
[ "$status" = 1 ]
[ $((SECONDS - began)) -lt 30 ]
grep -q '^smartctl -n standby,3 -a /dev/sdc' "$DIR"/state/md0-2

for wrong in 0 x -1; do
	status=0
	said=$("$TOP/extras/par-smart" --limit "$wrong" 2>&1) || status=$?
	[ "$status" = 2 ] && [[ $said == "par-smart: --limit takes "* ]]
done
