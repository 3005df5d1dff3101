# SPDX-License-Identifier: GPL-2.0
"""Weeks of a large cluster in seconds: the real planner, on PGs without content.

A step is an hour; while groups shift, it is five seconds. OSDs, agents and Ceph do at once what is asked for.
"""
import dataclasses
import random
from typing import NamedTuple

from ..core import plan, predict, steps
from ..core.model import (AWAKE, CLEAN, DOZE, Affinity, Config, Group, Layout, Lease, Observed, Options, Osd, Pg,
                          Pgs, Pool, Seen, State, Want)

HOUR, SHIFT = 3600, 5
LOST = frozenset(["active", "undersized", "degraded"])
DEFAULTS = {steps.GATE: "1", steps.VALVE: "3"}


class Hour(NamedTuple):
    """What an hour was like: the groups that were awake at its end, and what was too little."""
    gear: int
    short: bool         # did the load exceed the groups that were awake at the end of the hour's shifts?
    least: int          # replicas of a PG on OSDs that are up, in awake groups: the fewest of all PGs
    pending: int        # bytes in the fullest log at the end of the hour


class Report(NamedTuple):
    hours: list
    starts: dict        # {OSD: how often its disk was started}


class World:
    """A cluster of `osds` OSDs in `copies` groups, with `pgs` replicas of PGs on each OSD."""

    def __init__(self, osds, copies, pgs, options, seed=1, rate=0.0):
        """rate: bytes a second that are written to each OSD."""
        rnd = random.Random(seed)
        size = osds // copies
        self.groups = tuple(Group(f"gear{n}", "rack", tuple(range(n * size, (n + 1) * size))) for n in range(copies))
        self.layout = Layout(self.groups, frozenset([1]), (), "rack")
        self.sets = []
        for _ in range(size * pgs):
            up = [rnd.choice(group.osds) for group in self.groups]
            rnd.shuffle(up)
            self.sets.append(tuple(up))
        self.options, self.seed = options, seed
        self.now, self.epoch, self.load = 0.0, 1, 0.0
        self.affinity = dict.fromkeys(range(size * copies), 1.0)
        self.down, self.settings, self.leases = set(), {}, {}
        self.asleep, self.starts = set(), dict.fromkeys(self.affinity, 0)
        self.rate, self.pending, self.drained = rate, dict.fromkeys(self.affinity, 0), 0
        self.hosts = {osd: f"h{osd // 30}" for osd in self.affinity}
        self.of = {osd: group for group in self.groups for osd in group.osds}
        self.pgs, self.least = None, (None, 0)

    def placed(self):
        """The PGs, made again only when the map has changed."""
        if self.pgs is None:
            self.pgs = Pgs(self.place(number, up) for number, up in enumerate(self.sets))
        return self.pgs

    def place(self, number, up):
        alive = tuple(osd for osd in up if osd not in self.down) if self.down else up
        first = next((osd for osd in alive if self.affinity[osd]), alive[0] if alive else -1)
        return Pg(str(number), 1, alive, alive, first, CLEAN if len(alive) == len(up) else LOST, None)

    def observe(self):
        shown = {group.name: {name: self.settings.get((group.mask, name), DEFAULTS[name]) for name in DEFAULTS}
                 for group in self.groups}
        seen = {osd: Seen(self.now, osd not in self.asleep, self.pending[osd], 0.0, self.epoch,
                          shown[self.of[osd].name])
                for osd in self.affinity}
        return Observed(
            now=self.now, epoch=self.epoch,
            osds={osd: Osd(osd, osd not in self.down, True, value) for osd, value in self.affinity.items()},
            pools={1: Pool(1, "data", len(self.groups), 0, len(self.sets), len(self.sets), False, False)},
            pgs=self.placed(), layout=self.layout, hosts=self.hosts, options=self.settings, seen=seen,
            leases=self.leases, flags=frozenset(), releases=frozenset(["18.2.7"]), checks=frozenset(),
            load=self.load)

    def do(self, intents):
        for intent in intents:
            if isinstance(intent, Affinity):
                self.affinity[intent.osd] = intent.value
                self.pgs = None
            elif isinstance(intent, Config):
                key = (intent.who, intent.name)
                self.settings = {k: v for k, v in self.settings.items() if k != key}
                if intent.value is not None:
                    self.settings[key] = intent.value
                self.drain()
            elif isinstance(intent, Want):
                self.leases = {**self.leases, intent.host: intent.lease}
                self.obey(intent.lease)
        if any(isinstance(intent, Affinity) for intent in intents):
            self.epoch += 1

    def obey(self, lease):
        for osd, want in lease.want.items():
            if want == DOZE:
                self.asleep.add(osd)
            elif osd in self.asleep:
                self.asleep.remove(osd)
                self.starts[osd] += 1

    def holds(self, group):
        """Do the OSDs of a Group keep their writes in their logs?"""
        return self.settings.get((group.mask, steps.VALVE)) == steps.CLOSED

    def drain(self):
        """OSDs whose valve is not closed write their logs, which starts their disks."""
        for group in self.groups:
            for osd in group.osds if not self.holds(group) else ():
                if self.pending[osd]:
                    self.drained += self.pending[osd]
                    self.pending[osd] = 0
                    self.obey(Lease({osd: AWAKE}, 0.0))

    def write(self, seconds):
        """Clients write for some time: what is not held is on the disks at once."""
        for group in self.groups:
            for osd in group.osds if self.holds(group) else ():
                self.pending[osd] += int(self.rate * seconds)

    def fail(self, osd):
        self.down.add(osd)
        self.pgs = None
        self.epoch += 1

    def repair(self, osd):
        self.down.discard(osd)
        self.pgs = None
        self.epoch += 1

    def least_awake(self, state):
        awake = {osd for osd in self.affinity
                 if osd not in self.down and osd not in self.asleep and self.of[osd].name not in state.groups}
        if awake != self.least[0]:
            self.least = awake, min(sum(osd in awake for osd in up) for up in self.sets)
        return self.least[1]


def run(world, loads, history=None, failures=None, most=200):
    """Report of len(loads) hours.

    loads: the peak load of each hour, in OSDs. failures: {hour: (OSDs that fail, OSDs that return)}. Raises
    RuntimeError if a shift takes more than `most` steps of the planner.
    """
    history, state, hours = history or predict.History(), State(), []
    for number, load in enumerate(loads):
        world.now, world.load = number * float(HOUR), load
        fail, repair = (failures or {}).get(number, ((), ()))
        for osd in fail:
            world.fail(osd)
        for osd in repair:
            world.repair(osd)
        for _ in range(most):
            planned = plan.plan(world.observe(), state, history, world.options)
            state = planned.state
            world.do(planned.intents)
            world.now += SHIFT
            unfinished = any(g.want == AWAKE or g.valve is None for g in state.groups.values())
            if not planned.intents and not unfinished:
                break
        else:
            raise RuntimeError(f"hour {number}: {planned.reasons}")
        history.record(world.now, load)
        awake = len(world.groups) - len(state.groups)
        needed = load > awake * len(world.affinity) / len(world.groups) + 1e-9
        hours.append(Hour(awake, needed, world.least_awake(state), max(world.pending.values())))
        world.write(HOUR)
    return Report(hours, world.starts)


def saving(hours, copies):
    """The part of the OSDs' disks that doze, in the mean (Sierra, section 4.3: energy of servers that are off)."""
    return sum(1 - hour.gear / copies for hour in hours) / len(hours)


def options(**changes):
    """Options for steps of an hour."""
    return dataclasses.replace(Options(settle=0, hysteresis=0, surge=0, batch=5000, silence=2 * HOUR), **changes)
