# SPDX-License-Identifier: GPL-2.0
"""A fake Ceph cluster: monitors, OSDs and agents, made of recorded dumps, for tests without a cluster.

It answers the commands that the controller sends, with the JSON of Ceph, moves primaries by Ceph's own hash, and does
the agents' part. Time passes only by tick().
"""
import copy
import json
import time

from ..core import affinity, observe, steps
from ..ctl.controller import ENOENT, MonError

EINVAL = 22
DEFAULTS = {steps.GATE: "1", steps.VALVE: "3"}


class Disk:
    """An OSD's disk and log, and what its OSD has in effect."""

    def __init__(self):
        self.spinning, self.pending, self.starts, self.rate = True, 0, 0, 0.0
        self.options, self.epoch, self.requests = dict(DEFAULTS), 0, 0
        self.spilled = 0
        self.flush = False      # is one left from the last drain, for the next commit to send?


class Fake:
    """`dumps`: {command: JSON} as recorded, with all affinities 1.0 and all PGs clean: `up` is in CRUSH's order."""

    def __init__(self, dumps, now=1.8e9):
        self.dumps, self.now = copy.deepcopy(dumps), now
        self.keys = {}
        self.osds = {osd["osd"]: osd for osd in self.dumps["osd dump"]["osds"]}
        self.host = {m["id"]: m["hostname"] for m in self.dumps["osd metadata"]}
        self.stats = self.dumps["pg dump"]["pg_map"]["pg_stats"]
        self.crush = {pg["pgid"]: list(pg["up"]) for pg in self.stats}
        pools = observe.pools(self.dumps["osd dump"])
        self.seed = {pg: affinity.placement_seed(int(pg.split(".")[0]), int(pg.split(".")[1], 16),
                                                 pools[int(pg.split(".")[0])].pgp_num) for pg in self.crush}
        self.disks = {osd: Disk() for osd in self.osds}
        self.scrubs = set()     # PGs that a scrub runs in
        self.slow = set()       # OSDs that do not get their logs written
        self.mute = set()       # hosts whose agents do not report
        self.lost = {}          # {PG: epoch since when it lacks a copy}
        self.number, self.full_dumps = 0, 0
        self.log = []           # the commands that changed something
        self.lease_seen = {}    # {host: (text, when its agent saw it)}
        self.before = lambda command, arguments: None   # called before a command changes something
        for pg in self.stats:
            pg["last_deep_scrub_stamp"] = self.stamp()
        self.remap()
        self.report()

    def stamp(self):
        return time.strftime("%Y-%m-%dT%H:%M:%S.000000+0000", time.gmtime(self.now))

    # commands

    def mon(self, prefix, raw=False, **args):
        reads = {"config-key get": self.key_get, "config-key dump": self.key_dump, "config-key ls": self.key_list}
        changes = {"osd primary-affinity": self.set_affinity, "config set": self.set_option,
                   "config rm": self.remove_option, "config-key set": self.key_set, "config-key rm": self.key_remove,
                   "osd set": self.set_flag, "osd unset": self.unset_flag,
                   "osd crush add-bucket": self.add_bucket, "osd crush move": self.move_bucket,
                   "osd crush rule create-replicated": self.create_rule, "osd pool set": self.set_pool}
        if prefix in reads:
            return reads[prefix](**args)
        if prefix in changes:
            self.before(prefix, args)
            self.log.append((prefix, args))
            return changes[prefix](**args)
        if prefix == "pg dump" and args:
            return self.pg_dump(**args)
        if prefix in self.dumps and not args:
            return self.dumps[prefix]   # which nobody may change
        raise MonError(EINVAL, f"the fake has no command {prefix} {args}")

    mgr = mon

    def many(self, commands):
        for prefix, args in commands:
            self.mon(prefix, **args)

    def pg_dump(self, dumpcontents):
        if dumpcontents == ["pgs"]:
            self.full_dumps += 1
            return {"pg_ready": True, "pg_stats": self.stats}
        names = "pgid", "state", "up", "acting", "up_primary", "acting_primary"
        return {"pg_ready": True, "pg_stats": [{name: pg[name] for name in names} for pg in self.stats]}

    def key_get(self, key):
        if key not in self.keys:
            raise MonError(ENOENT, f"{key}: no such key")
        return self.keys[key]

    def key_dump(self, key=""):
        return {k: v for k, v in self.keys.items() if k.startswith(key)}

    def key_list(self):
        return sorted(self.keys)

    def key_set(self, key, val):
        self.keys[key] = val

    def key_remove(self, key):
        self.keys.pop(key, None)

    def set_affinity(self, id, weight):     # the monitors' own name of the argument
        self.osds[id]["primary_affinity"] = weight
        self.next_epoch()

    def option(self, who, name):
        section, _, mask = who.partition("/")
        return next((o for o in self.dumps["config dump"]
                     if (o["section"], o.get("mask", ""), o["name"]) == (section, mask, name)), None)

    def set_option(self, who, name, value):
        entry = self.option(who, name)
        if entry is None:
            section, _, mask = who.partition("/")
            entry = {"section": section, "mask": mask, "name": name}
            self.dumps["config dump"].append(entry)
        # The monitors print a float with six digits.
        entry["value"] = f"{float(value):f}" if name == steps.VALVE else value
        self.apply_options()

    def remove_option(self, who, name):
        entry = self.option(who, name)
        if entry is not None:
            self.dumps["config dump"].remove(entry)
        self.apply_options()

    def set_flag(self, key):
        self.dumps["osd dump"]["flags_set"] = sorted({*self.dumps["osd dump"]["flags_set"], key})
        self.next_epoch()

    def unset_flag(self, key):
        self.dumps["osd dump"]["flags_set"] = [f for f in self.dumps["osd dump"]["flags_set"] if f != key]
        self.next_epoch()

    # its layout: PGs stay where they are

    def bucket(self, name):
        return next(b for b in self.dumps["osd crush dump"]["buckets"] if b["name"] == name)

    def add_bucket(self, name, type, args):     # the monitors' own names of the arguments
        number = min(b["id"] for b in self.dumps["osd crush dump"]["buckets"]) - 1
        self.dumps["osd crush dump"]["buckets"].append({"id": number, "name": name, "type_name": type, "items": []})
        self.bucket(args[0].partition("=")[2])["items"].append({"id": number})

    def move_bucket(self, name, args):
        number = self.bucket(name)["id"]
        for bucket in self.dumps["osd crush dump"]["buckets"]:
            bucket["items"] = [item for item in bucket["items"] if item["id"] != number]
        self.bucket(args[0].partition("=")[2])["items"].append({"id": number})
        self.next_epoch()

    def create_rule(self, name, root, type):
        rules = self.dumps["osd crush dump"]["rules"]
        rules.append({"rule_id": len(rules), "rule_name": name, "steps": [
            {"op": "take", "item": self.bucket(root)["id"]}, {"op": "chooseleaf_firstn", "num": 0, "type": type}]})

    def set_pool(self, pool, var, val):
        number = next(r["rule_id"] for r in self.dumps["osd crush dump"]["rules"] if r["rule_name"] == val)
        next(p for p in self.dumps["osd dump"]["pools"] if p["pool_name"] == pool)[var] = number
        self.next_epoch()

    # the cluster

    def next_epoch(self):
        self.dumps["osd dump"]["epoch"] += 1
        self.remap()

    def apply_options(self):
        """Options reach each OSD that is up at once: those of its buckets win over defaults, its own over both."""
        buckets = {b["id"]: b for b in self.dumps["osd crush dump"]["buckets"]}
        above = {}
        for bucket in buckets.values():
            for item in bucket["items"]:
                above[item["id"]] = bucket["id"]
        for osd in self.osds:
            if not self.osds[osd]["up"]:
                continue
            names, at = ["osd"], osd
            while at in above:
                at = above[at]
                names.append(f"osd/{buckets[at]['type_name']}:{buckets[at]['name']}")
            names = [names[0], *reversed(names[1:]), f"osd.{osd}"]
            options = observe.options(self.dumps["config dump"])
            for name in (steps.GATE, steps.VALVE):
                found = [options[(who, name)] for who in names if (who, name) in options]
                self.disks[osd].options[name] = found[-1] if found else DEFAULTS[name]

    def remap(self):
        """Up and acting sets by affinity; OSDs that are up have the newest map, which they commit."""
        values = {o: round(osd["primary_affinity"] * affinity.FULL) for o, osd in self.osds.items()}
        epoch = self.dumps["osd dump"]["epoch"]
        for pg in self.stats:
            up = [osd for osd in self.crush[pg["pgid"]] if self.osds[osd]["up"]]
            first = affinity.primary(up, self.seed[pg["pgid"]], values) if up else -1
            up.sort(key=lambda osd: osd != first)
            pg["up"], pg["acting"], pg["up_primary"], pg["acting_primary"] = up, list(up), first, first
            if len(up) < len(self.crush[pg["pgid"]]):
                self.lost[pg["pgid"]] = epoch
                pg["state"] = "active+undersized+degraded" if up else "down"
            elif pg["pgid"] in self.lost:
                pg["state"] = "active+recovering+degraded"
            else:
                pg["state"] = "active+clean" + ("+scrubbing+deep" if pg["pgid"] in self.scrubs else "")
        for osd, disk in self.disks.items():
            if self.osds[osd]["up"] and disk.epoch != epoch:
                disk.epoch = epoch
                self.commit(osd)

    def fail(self, osd):
        self.osds[osd]["up"] = 0
        self.next_epoch()

    def revive(self, osd):
        """The OSD starts: it replays its log, so its disk turns."""
        self.osds[osd]["up"] = 1
        self.turn(osd)
        self.disks[osd].pending = 0
        self.apply_options()
        self.next_epoch()

    def recover(self):
        """Recovery ends: it touched all disks of the PGs concerned."""
        for pg in list(self.lost):
            if all(self.osds[osd]["up"] for osd in self.crush[pg]):
                for osd in self.crush[pg]:
                    self.turn(osd)
                del self.lost[pg]
        self.remap()

    def scrub(self, pg):
        """A scrub runs in a PG if no OSD of it refuses."""
        if all(self.disks[osd].options[steps.GATE] != "0" for osd in self.crush[pg]):
            self.scrubs.add(pg)
            self.remap()

    def scrubbed(self):
        for pg in self.stats:
            if pg["pgid"] in self.scrubs:
                pg["last_deep_scrub_stamp"] = self.stamp()
        self.scrubs.clear()
        self.remap()

    def write(self, size):
        """Clients write `size` bytes to each OSD that is up."""
        for osd, disk in self.disks.items():
            if self.osds[osd]["up"]:
                disk.pending += size
                self.commit(osd)

    def commit(self, osd):
        """The OSD commits something: with the first commit after a drain it flushes its disk."""
        if self.disks[osd].flush:
            self.disks[osd].flush = False
            self.disks[osd].requests += 1
            self.turn(osd)

    def turn(self, osd):
        if not self.disks[osd].spinning:
            self.disks[osd].spinning = True
            self.disks[osd].starts += 1

    # time, and the agents

    def tick(self, seconds):
        """Time passes: OSDs write their logs unless the valve is closed, agents act and report."""
        self.now += seconds
        for osd, disk in self.disks.items():
            if self.osds[osd]["up"] and disk.options[steps.VALVE] != "0" and disk.pending \
                    and osd not in self.slow:
                disk.pending = 0
                disk.requests += 1
                disk.flush = True
                self.turn(osd)
        for host in set(self.host.values()) - self.mute:
            self.agent(host)
        self.report()

    def agent(self, host):
        text = self.keys.get("parfleet/want/" + host)
        if text is None:
            return
        if self.lease_seen.get(host, (None,))[0] != text:
            self.lease_seen[host] = (text, self.now)
        try:
            want = json.loads(text)
            over = self.now - self.lease_seen[host][1] > want["seconds"]
            wanted = {int(osd): what for osd, what in want["osds"].items()}
        except (ValueError, KeyError, AttributeError, TypeError):
            return
        for osd, what in wanted.items():
            if self.host.get(osd) != host:
                continue
            if what == "doze" and not over and self.osds[osd]["up"]:
                self.disks[osd].spinning = False
            elif what == "awake":
                self.turn(osd)

    def report(self):
        """The agents' reports; their clocks are wrong."""
        self.number += 1
        for host in set(self.host.values()) - self.mute:
            osds = {str(osd): {"spinning": self.disks[osd].spinning, "pending": self.disks[osd].pending,
                               "rate": self.disks[osd].rate, "epoch": self.disks[osd].epoch,
                               "options": dict(self.disks[osd].options), "starts": self.disks[osd].starts,
                               "requests": self.disks[osd].requests, "spilled": self.disks[osd].spilled}
                    for osd in self.osds if self.host[osd] == host}
            self.keys["parfleet/seen/" + host] = json.dumps({"number": self.number, "at": self.now - 60, "osds": osds})
