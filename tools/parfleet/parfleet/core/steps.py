# SPDX-License-Identifier: GPL-2.0
"""How a group begins to doze and how it wakes: the next step only, from what is and what is wanted.

doze: scrub gate, primaries away, deferral open, drained, valve closed, a commit, disks may stop
wake: disks turn, drained, deferral as before, primaries back, scrub gate as before

Each step is begun when the one before it has been seen to be complete. So any step may be lost or repeated, and the
planner may be started again between any two. What a setting was before is part of the state that is stored before
the setting is changed.
"""
import dataclasses

from . import guard
from .model import AWAKE, DOZE, Affinity, Config, Value

GATE = "osd_max_scrubs"
# Never a large number: BlueStore would set its next check so far ahead that a smaller number later is not noticed.
VALVE = "bluestore_max_defer_interval"
CLOSED, DRAINING = "0", "1"
OPEN = {
    "bluestore_prefer_deferred_size": "8388608",
    "bluestore_deferred_batch_ops": "65535",
    "bluestore_max_deferred_txc": "65535",
    "bluestore_throttle_cost_per_io": "1",
}
LIMIT = "bluestore_throttle_deferred_bytes"
NAMES = (GATE, VALVE, LIMIT, *OPEN)
PRIMARIES = "takes primaries again"
DRAINED, DRAINED_SECONDS = 64 << 10, 5      # pending bytes, or what comes in within some seconds


def put(obs, group, settings):
    """(GroupState, intents) towards {key: value}: key is an OSD's number (its affinity) or (who, name)."""
    values, intents = dict(group.values), []
    for key, now in settings.items():
        old = values.get(key)
        if old is None or old.now != now:
            seen = guard.current(obs, key)
            old = values[key] = Value(old.before if old else seen, now, seen, seen == now)
        if not old.confirmed:
            intents.append(Config(*key, now) if isinstance(key, tuple) else Affinity(key, now))
    return dataclasses.replace(group, values=values), intents


def restore(obs, group, keys):
    """(GroupState, intents) towards the values before; those that are reached are forgotten."""
    group, intents = put(obs, group, {key: group.values[key].before for key in keys if key in group.values})
    done = [key for key in keys if key in group.values and group.values[key].confirmed]
    values = {key: value for key, value in group.values.items() if key not in done}
    return dataclasses.replace(group, values=values), intents


def fresh(obs, osd, options):
    """The report of an OSD that is up, or None if it is too old."""
    seen = obs.seen.get(osd)
    return seen if seen and 0 <= obs.now - seen.at <= options.silence and obs.osds[osd].up else None


def drained(seen):
    return seen.pending <= max(DRAINED, DRAINED_SECONDS * seen.rate)


def is_awake(obs, osd, state, options, group_of):
    """Does the OSD count for I1? It is up, in, takes each primary, turns, and its group has not been touched.

    With an affinity between 0 and 1 an OSD refuses some PGs. If all OSDs of a PG refuse it, Ceph gives it to the
    first one, which may be one that dozes.
    """
    known = obs.osds.get(osd)
    if known is None or not (known.up and known.in_ and known.affinity == 1) or group_of.get(osd) in state.groups:
        return False
    seen = fresh(obs, osd, options)
    return seen is not None and seen.spinning is not False


def spares(obs, state, leaving, options):
    """Reasons why the Group `leaving` is needed: PGs with fewer than g_min replicas awake without it (I1)."""
    group_of = {osd: group.name for group in obs.layout.groups for osd in group.osds}
    without = frozenset(leaving.osds)
    awake = {osd for osd in group_of
             if osd not in without and is_awake(obs, osd, state, options, group_of)}
    short = sum(1 for pg in guard.in_scope(obs) if sum(osd in awake for osd in pg.acting) < options.g_min)
    return [f"{short} PGs would have fewer than {options.g_min} replicas awake without {leaving.name}"] if short else []


def overridden(obs, group):
    """Options of ours that are set for OSDs of the group, or for buckets within it: a mask does not win over these."""
    if group.type == "osd":
        return []
    found = []
    for osd in group.osds:
        masks = obs.above.get(osd, ())
        nearer = masks[:masks.index(group.mask)] if group.mask in masks else masks
        found += [f"{name} is set for {who}: a setting for its group has no effect on osd.{osd}"
                  for who in (f"osd.{osd}", *nearer) for name in NAMES if (who, name) in obs.options]
    return found


def next_doze(obs, group, remembered, state, options):
    """(GroupState, intents, is it dozing, why it waits) of a group on its way to doze, or in it."""
    key = lambda name: (group.mask, name)   # noqa: E731
    osds = [osd for osd in group.osds if osd in obs.osds]
    reports = [fresh(obs, osd, options) for osd in osds]
    shown = lambda name, value: all(r and r.options.get(name) == value for r in reports)    # noqa: E731

    # Silent agents are no reason to wake a group that dozes: its disks have a lease.
    settled = remembered.valve is not None
    g, intents = put(obs, remembered, {key(GATE): "0"})
    if intents or not shown(GATE, "0"):
        return g, intents, settled and not intents, "waits for the scrub gate"
    if not settled and obs.pgs.scrubbing & obs.layout.pools:
        return g, [], False, "waits for scrubs to end"
    short = [] if all(osd in g.values and g.values[osd].confirmed for osd in osds) else \
        spares(obs, state, group, options)
    if short:
        return g, [], False, short[0]
    left = [osd for osd in osds if osd not in g.values or not g.values[osd].confirmed]
    g, intents = put(obs, g, {osd: 0.0 for osd in left[:options.batch]})
    if intents or len(left) > options.batch:
        return g, intents, False, "waits for the primaries to leave"
    if not obs.pgs.primaries(obs.layout).isdisjoint(group.osds):
        return g, [], settled, "waits for the primaries to leave"
    wanted = {**OPEN, LIMIT: str(options.throttle)}
    valve = key(VALVE)
    if valve not in g.values:
        wanted[VALVE] = DRAINING
    g, intents = put(obs, g, {key(name): value for name, value in wanted.items()})
    if intents:
        return g, intents, False, "opens the deferral"
    return next_valve(obs, g, valve, list(zip(osds, reports)), options)


def next_valve(obs, g, valve, reports, options):
    """next_doze() from the drain on. reports: (OSD, Seen or None)."""
    at = g.values[valve].now
    if at == DRAINING:
        ready = all(r and r.spinning is not False and r.options.get(VALVE) == DRAINING and drained(r)
                    for _, r in reports)
        g, intents = put(obs, g, {valve: CLOSED if ready else DRAINING})
        return g, intents, False, "drains"
    g, intents = put(obs, g, {valve: CLOSED})
    if intents or not all(r and r.options.get(VALVE) == CLOSED for _, r in reports):
        return g, intents, g.valve is not None, "waits for the valve to close"
    if g.valve is None:
        g = dataclasses.replace(g, valve=obs.epoch)
    if not all(r.epoch > g.valve for _, r in reports):
        # An affinity that is set again makes an epoch, which each OSD commits: the flush after the drain.
        push = [Affinity(reports[0][0], 0.0)] if obs.epoch <= g.valve and reports else []
        return g, push, False, "waits for a commit"
    if any(r.pending > options.drain_at for _, r in reports):
        if not all(r.spinning is not False for _, r in reports):
            return g, [], False, "starts its disks to drain"
        g, intents = put(obs, dataclasses.replace(g, valve=None, since=obs.now), {valve: DRAINING})
        return g, intents, False, "drains"
    return g, [], True, ""


def takes_primaries(group):
    """Is the GroupState, on its way back, so far that it takes primaries again?"""
    return all(isinstance(key, int) or key[1] == GATE for key in group.values)


def next_wake(obs, osds, remembered, options, together=True):
    """(GroupState, intents, why it waits) of a group on its way back; complete when nothing is remembered.

    osds: its OSDs. Agents that do not report are waited for until `patience` is over: requests start disks, too.
    together: are all groups on their way back so far as to take primaries? Groups that take them at the same time
    make one epoch of the map, and PGs peer once; none waits for others after `patience`.
    """
    late = not 0 <= obs.now - remembered.since <= options.patience     # also if the clock was set back
    reports = [fresh(obs, osd, options) for osd in osds if osd in obs.osds and obs.osds[osd].up]
    g = dataclasses.replace(remembered, valve=None)
    if not late and not all(r and r.spinning is not False for r in reports):
        return g, [], "waits for its disks to turn"
    valves = [key for key in g.values if isinstance(key, tuple) and key[1] == VALVE]
    others = [key for key in g.values if isinstance(key, tuple) and key[1] not in (VALVE, GATE)]
    if others and all(g.values[key].now != g.values[key].before for key in valves):
        # While a write costs nothing besides its bytes, the pending bytes tell whether it is drained.
        g, intents = put(obs, g, {key: DRAINING for key in valves})
        if intents:
            return g, intents, "drains"
        if valves and not late and not all(r and r.options.get(VALVE) == DRAINING and drained(r) for r in reports):
            return g, [], "drains"
    for keys, text in ((others + valves, "closes the deferral"),
                       ([key for key in g.values if isinstance(key, int)][:options.batch], PRIMARIES),
                       ([key for key in g.values if isinstance(key, tuple) and key[1] == GATE], "opens the gate")):
        if text == PRIMARIES and keys and not together and not late:
            return g, [], "waits for other groups to drain"
        g, intents = restore(obs, g, keys)
        if intents or any(key in g.values for key in keys):
            return g, intents, text
    return g, [], PRIMARIES if g.values else ""


def direction(group, awake, now):
    """The GroupState with the direction that is wanted now. A wake is always completed before a doze."""
    if awake and group.want == DOZE:
        return dataclasses.replace(group, want=AWAKE, since=now, valve=None)
    return group
