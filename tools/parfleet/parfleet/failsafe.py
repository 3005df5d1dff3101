# SPDX-License-Identifier: GPL-2.0
"""parfleet-failsafe: gives back what a controller that died has left. One file of its own; run by a timer.

If the state on the monitors says that groups doze, and no controller has written it for --after seconds, each setting
that still has parfleet's value gets the one from before: first the options that hold writes back, then affinities, then
scrubs. A setting that somebody else has changed is left alone. It only ever wakes.
"""
import argparse
import json
import sys
import time

STATE = "parfleet/state"
GATE, VALVE = "osd_max_scrubs", "bluestore_max_defer_interval"


def same(one, other):
    try:
        return float(one) == float(other)
    except (TypeError, ValueError):
        return one == other


def command(mons, prefix, **args):
    code, out, text = mons(json.dumps({"prefix": prefix, "format": "json", **args}), b"", timeout=30)
    if code == -2 and prefix == "config-key get":
        return None
    if code:
        raise OSError(-code, f"{prefix}: {text}")
    return out.decode()


def restore(mons, groups, drain):
    """Give back the settings of `groups`, as the state has them. `drain`: seconds to wait for pending writes."""
    shown = {(o["section"] + ("/" + o["mask"] if o.get("mask") else ""), o["name"]): o["value"]
             for o in json.loads(command(mons, "config dump"))}
    affinity = {o["osd"]: o["primary_affinity"] for o in json.loads(command(mons, "osd dump"))["osds"]}
    options = [o for group in groups.values() for o in group["options"] if same(shown.get((o[0], o[1])), o[3])]

    def give_back(chosen):
        for who, name, before in ((o[0], o[1], o[2]) for o in options if chosen(o[1])):
            if before is None:
                command(mons, "config rm", who=who, name=name)
            else:
                command(mons, "config set", who=who, name=name, value=str(before))

    give_back(lambda name: name == VALVE)   # any value above 0 drains
    if any(name == VALVE for _, name, *_ in options):
        time.sleep(drain)
    give_back(lambda name: name not in (VALVE, GATE))
    for group in groups.values():
        for before, now, _, _, osds in group["affinities"]:
            for osd in osds:
                if osd in affinity and same(affinity[osd], now):
                    command(mons, "osd primary-affinity", id=osd, weight=float(before))
    give_back(lambda name: name == GATE)


def check(mons, after, drain, sleep=time.sleep):
    """Watch the state for `after` seconds; "unused", "alive", or "restored". Raises OSError, ValueError, KeyError."""
    text = command(mons, "config-key get", key=STATE)
    if text is None or not json.loads(text)["groups"]:
        return "unused"
    waited = 0.0
    while waited < after:
        sleep(min(10.0, after - waited))
        waited += min(10.0, after - waited)
        if command(mons, "config-key get", key=STATE) != text:
            return "alive"
    state = json.loads(text)
    restore(mons, state["groups"], drain)
    state.update(groups={}, owner="failsafe", beat=time.time())
    command(mons, "config-key set", key=STATE, val=json.dumps(state))
    return "restored"


def options():
    parser = argparse.ArgumentParser(prog="parfleet-failsafe", description=__doc__.partition("\n")[0])
    parser.add_argument("--conf", default="/etc/ceph/ceph.conf", help="Ceph's configuration (%(default)s)")
    parser.add_argument("--name", default="client.parfleet", help="whose key is used (%(default)s)")
    parser.add_argument("--after", type=float, default=900, help="seconds without a controller (%(default)s)")
    parser.add_argument("--drain", type=float, default=60, help="seconds for pending writes (%(default)s)")
    return parser


def main():
    args = options().parse_args()
    try:
        import rados
        cluster = rados.Rados(conffile=args.conf, name=args.name)
        cluster.connect(timeout=60)
        result = check(cluster.mon_command, args.after, args.drain)
    except ImportError:
        print("parfleet-failsafe: python3-rados is not installed", file=sys.stderr)
        return 8
    except Exception as error:
        print(f"parfleet-failsafe: {' '.join(str(error).split())}", file=sys.stderr)
        return 7
    if result == "restored":
        print("parfleet-failsafe: no controller is alive: all groups were given back", file=sys.stderr)
    return 0


if __name__ == "__main__":
    sys.exit(main())
