# SPDX-License-Identifier: GPL-2.0
"""Gear groups: CRUSH buckets of which every PG in scope has exactly one replica (Sierra, section 3.3)."""
from typing import NamedTuple

from .model import Group, Layout


class Tree(NamedTuple):
    """CRUSH's buckets: {id: (name, type, ids of its items)}, and of each rule the bucket it takes (None if it takes
    several) and the types over which it spreads all replicas: {number: id}, {number: types}; {name of a rule: number}.

    Shadow buckets of device classes ("default~hdd") are among the buckets.
    """
    buckets: dict
    takes: dict
    spreads: dict
    rules: dict

    def osds(self, bucket):
        """The OSDs below a bucket, in order of number."""
        if bucket >= 0:
            return (bucket,)
        return tuple(sorted(osd for item in self.buckets[bucket][2] for osd in self.osds(item)))

    def named(self, name):
        return next(bucket for bucket, (own, _, _) in self.buckets.items() if own == name)

    def masks(self):
        """{OSD: ("osd/host:a", "osd/root:default")}: who gets options by the buckets above it, the nearest first."""
        above = {item: b for b, (name, _, items) in self.buckets.items() if "~" not in name for item in items}
        found = {}
        for osd in (item for item in above if item >= 0):
            at, found[osd] = osd, ()
            while at in above:
                at = above[at]
                found[osd] += (f"osd/{self.buckets[at][1]}:{self.buckets[at][0]}",)
        return found

    def below(self, bucket):
        """All buckets below a bucket."""
        for item in self.buckets[bucket][2]:
            if item < 0:
                yield item
                yield from self.below(item)


def tree(crush_dump):
    """The Tree in the JSON of `osd crush dump`."""
    buckets = {b["id"]: (b["name"], b["type_name"], tuple(item["id"] for item in b["items"]))
               for b in crush_dump["buckets"]}
    takes, spreads = {}, {}
    for rule in crush_dump["rules"]:
        taken = [step["item"] for step in rule["steps"] if step["op"] == "take"]
        takes[rule["rule_id"]] = taken[0] if len(taken) == 1 else None
        spreads[rule["rule_id"]] = frozenset(
            step["type"] for step in rule["steps"]
            if step["op"] in ("choose_firstn", "chooseleaf_firstn") and step["num"] == 0)
    return Tree(buckets, takes, spreads, {rule["rule_name"]: rule["rule_id"] for rule in crush_dump["rules"]})


def enrollable(pools):
    """(pools that can have gears, [(name, reason)] of the others)."""
    fit, left_out = [], []
    for pool in pools:
        if pool.erasure:
            left_out.append((pool.name, "erasure-coded: a read needs several shards"))
        elif pool.size < 2:
            left_out.append((pool.name, "has one replica"))
        else:
            fit.append(pool)
    return fit, left_out


def groups_of_type(crush, root, kind):
    """The groups that the buckets of type `kind` below `root` are; [] if they do not cover its OSDs, each once."""
    found = [Group(crush.buckets[b][0].partition("~")[0], kind, crush.osds(b))
             for b in crush.below(root) if crush.buckets[b][1] == kind]
    found = sorted(group for group in found if group.osds)
    members = sorted(osd for group in found for osd in group.osds)
    return found if tuple(members) == crush.osds(root) else []


def largest_root(crush, roots):
    """That with the most OSDs; None if there is no such one, or if a rule takes several."""
    if None in roots:
        return None
    most = max(len(crush.osds(root)) for root in roots)
    found = [root for root in roots if len(crush.osds(root)) == most]
    return found[0] if len(found) == 1 else None


def detect(crush, pools, pgs):
    """(Layout, reason): where CRUSH has groups already, they are the groups, and nothing moves.

    crush: Tree; pools: list of Pool; pgs: Pgs. Without a Layout (None) the reason says in one line why there is none.
    Beside a Layout it says which PGs do not lie in it, and is None otherwise.

    A bucket type is fit if it has as many buckets as the pools have replicas, and the rules of the pools spread over
    it. Other pools on the same OSDs would wake them, and options are set for whole buckets, so neither may be there.
    Of several roots, as of disks and of flash, that with the most OSDs can have gears; pools of the others are left
    out.
    """
    fit, left_out = enrollable(pools)
    if not fit:
        return None, "no pool is replicated"
    roots = {crush.takes.get(pool.rule) for pool in fit}
    root = largest_root(crush, roots)
    if root is None:
        return None, "the replicated pools use several roots of CRUSH: " + ", ".join(
            sorted(crush.buckets[root][0] for root in roots if root is not None))
    left_out += [(pool.name, f"is on other OSDs, below {crush.buckets[crush.takes[pool.rule]][0]}")
                 for pool in fit if crush.takes[pool.rule] != root]
    fit = [pool for pool in fit if crush.takes[pool.rule] == root]
    sizes = {pool.size for pool in fit}
    if len(sizes) != 1:
        return None, f"the replicated pools have {' and '.join(map(str, sorted(sizes)))} replicas: need the same"
    scope = frozenset(pool.id for pool in fit)
    here = set(crush.osds(root))
    others = {pg.pool for pg in pgs if pg.pool not in scope and here.intersection(pg.up)}
    if others:
        names = sorted(pool.name for pool in pools if pool.id in others)
        return None, f"pools that cannot have gears are on the same OSDs: {', '.join(names)}"
    return of_root(crush, root, fit, pgs, left_out)


def of_root(crush, root, fit, pgs, left_out):
    """detect() for the pools `fit` below `root`. If several types are fit, that with the fewest PGs astray."""
    found, reason, size = [], None, fit[0].size
    for kind in dict.fromkeys(crush.buckets[b][1] for b in crush.below(root)):
        groups = groups_of_type(crush, root, kind)
        if len(groups) != size:
            continue
        loose = [pool.name for pool in fit if kind not in crush.spreads[pool.rule]]
        mixed = [group.name for group in groups if group.osds != crush.osds(crush.named(group.name))]
        if mixed:
            reason = f"{', '.join(mixed)} have OSDs of another device class"
        elif loose:
            reason = f"the CRUSH rule of {', '.join(loose)} does not spread replicas over the type {kind}"
        else:
            layout = Layout(tuple(groups), frozenset(pool.id for pool in fit), tuple(left_out), kind)
            found.append((pgs.misplaced(layout), layout))
    if not found:
        return None, reason or f"no bucket type has exactly {size} buckets below {crush.buckets[root][0]}"
    wrong, layout = min(found, key=lambda one: one[0])
    return layout, f"{wrong} PGs do not have one replica in each {layout.type}" if wrong else None


class Command(NamedTuple):
    """A command to the monitors: its text for people, and its form for them."""
    text: str
    prefix: str
    args: dict


class Step(NamedTuple):
    """Commands for the administrator, and the most bytes that they move."""
    commands: tuple
    moves: int


HOLD = Command("ceph osd set norebalance", "osd set", {"key": "norebalance"})
LET = Command("ceph osd unset norebalance", "osd unset", {"key": "norebalance"})


def build(crush, pools, used, kind="pdu", rule="gears"):
    """The Steps that are left to give the replicated pools gear groups of bucket type `kind`, by Ceph's own commands.

    used: {OSD: bytes}. The hosts are shared out so that the groups have about equal numbers of OSDs. First empty
    groups and a rule are made. Then hosts and pools change to them, while Ceph is told not to backfill: so it shows how
    much has to move, and all can still be undone. (A PG that has all of its writes in its log recovers at once.) Then
    it moves, which the same flag interrupts; nearly all data may, for CRUSH draws a bucket of each level anew. Raises ValueError with the reason if groups cannot be built: too few
    hosts, a type that is in use, several roots.
    """
    fit, _ = enrollable(pools)
    roots = {crush.takes.get(pool.rule) for pool in fit}
    sizes = {pool.size for pool in fit}
    if len(roots) != 1 or len(sizes) != 1 or None in roots:
        raise ValueError("the replicated pools need one root of CRUSH and the same number of replicas")
    root, size = roots.pop(), sizes.pop()
    plain = crush.named(crush.buckets[root][0].partition("~")[0])
    groups = [f"gear{n}" for n in range(size)]
    here = {crush.buckets[b][0]: b for b in crush.below(plain)}
    if any(crush.buckets[b][1] == kind and crush.buckets[b][0].partition("~")[0] not in groups for b in crush.buckets):
        raise ValueError(f"the bucket type {kind} is in use: choose one that is not")
    others = sorted(name for name, other, _ in crush.buckets.values() if name in groups and other != kind)
    if others:
        raise ValueError(f"the bucket {others[0]} exists, and is no {kind}")
    if rule in crush.rules and kind not in crush.spreads[crush.rules[rule]]:
        raise ValueError(f"the CRUSH rule {rule} exists, and does not spread replicas over the type {kind}")
    hosts = {name: crush.osds(b) for name, b in here.items() if crush.buckets[b][1] == "host"}
    if len(hosts) < size:
        raise ValueError(f"{len(hosts)} hosts for {size} replicas: need at least one host for each")
    made = tuple(bucket_command(name, kind, crush.buckets[plain][0]) for name in groups if name not in here)
    if rule not in crush.rules:
        made += (rule_command(rule, crush.buckets[plain][0], kind),)
    change = moves(crush, hosts, [here.get(name) for name in groups], groups, kind)
    change += tuple(pool_command(pool.name, rule) for pool in fit if crush.rules.get(rule) != pool.rule)
    total = sum(used.get(osd, 0) for osd in crush.osds(root))
    return [*([Step(made, 0)] if made else []), *([Step((HOLD, *change), 0)] if change else []), Step((LET,), total)]


def moves(crush, hosts, buckets, groups, kind):
    """The Commands that share hosts {name: its OSDs} out to groups, whose `buckets` are None if they are not made."""
    lists = [{crush.buckets[b][0] for b in crush.below(bucket)} & set(hosts) if bucket is not None else set()
             for bucket in buckets]
    there = set().union(*lists)
    shares = share_out({host: len(osds) for host, osds in hosts.items() if host not in there}, len(groups),
                       [sum(len(hosts[host]) for host in names) for names in lists])
    return tuple(Command(f"ceph osd crush move {host} {kind}={name}", "osd crush move",
                         {"name": host, "args": [f"{kind}={name}"]})
                 for name, share in zip(groups, shares) for host in share)


def bucket_command(name, kind, root):
    return Command(f"ceph osd crush add-bucket {name} {kind} root={root}", "osd crush add-bucket",
                   {"name": name, "type": kind, "args": [f"root={root}"]})


def rule_command(rule, root, kind):
    return Command(f"ceph osd crush rule create-replicated {rule} {root} {kind}", "osd crush rule create-replicated",
                   {"name": rule, "root": root, "type": kind})


def pool_command(pool, rule):
    return Command(f"ceph osd pool set {pool} crush_rule {rule}", "osd pool set",
                   {"pool": pool, "var": "crush_rule", "val": rule})


def share_out(weights, count, sums=None):
    """Share {name: weight} out to `count` lists of about equal weight: the heaviest first, to the lightest list.

    sums: what the lists weigh already.
    """
    lists, sums = [[] for _ in range(count)], list(sums or [0] * count)
    for name in sorted(weights, key=lambda n: (-weights[n], n)):
        lightest = sums.index(min(sums))
        lists[lightest].append(name)
        sums[lightest] += weights[name]
    return [sorted(names) for names in lists]
