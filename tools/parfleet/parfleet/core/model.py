# SPDX-License-Identifier: GPL-2.0
"""What the planner sees, remembers and wants. Values only: nothing here has a clock or does I/O.

Times are seconds since 1970, sizes are bytes.
"""
import dataclasses
import functools
from typing import NamedTuple, Optional

AWAKE, DOZE = "awake", "doze"
# Words of a PG's state. Those of UNWELL mean that copies are missing, damaged or being made.
CLEAN, SCRUBBING = frozenset(["active", "clean"]), frozenset(["scrubbing", "deep"])
TRIMMING = frozenset(["snaptrim", "snaptrim_wait"])     # measured: no request to a dozing disk
UNWELL = frozenset("""degraded undersized down incomplete stale unfound recovering recovery_wait recovery_toofull
    recovery_unfound backfilling backfill_wait backfill_toofull backfill_unfound remapped inconsistent failed_repair
    repair snaptrim_error forced_recovery forced_backfill""".split())
MOVES = frozenset("backfilling backfill_wait remapped forced_backfill".split())


class Pool(NamedTuple):
    id: int
    name: str
    size: int           # replicas
    rule: int
    pg_num: int
    pgp_num: int
    erasure: bool
    changing: bool      # pg_num or pgp_num is not yet what was asked for
    deep: Optional[float] = None    # seconds between deep scrubs, if the pool has an interval of its own


class Pg(NamedTuple):
    id: str
    pool: int
    up: tuple           # of OSD numbers, the primary first
    acting: tuple
    primary: int        # the acting primary, -1 for none
    state: frozenset    # {"active", "clean"}
    deep: Optional[float] = None    # time of the last deep scrub


class Pgs(tuple):
    """PGs, and what is counted of them: once, however often a planner asks."""

    @functools.cached_property
    def clean(self):
        """Are all active+clean? Scrubs and the trimming of snapshots may run."""
        return all(pg.state - SCRUBBING - TRIMMING == CLEAN for pg in self)

    @functools.cached_property
    def unwell(self):
        """The number that lack copies, are damaged, or are recovering."""
        return sum(1 for pg in self if pg.state & UNWELL)

    @functools.cached_property
    def unwell_but_misplaced(self):
        """The number that lack copies or are damaged; those that only wait for a move, or move, are not among them."""
        return sum(1 for pg in self if pg.state & UNWELL - MOVES)

    def misplaced(self, layout):
        """The number in the scope of a Layout that do not have exactly one replica in each of its groups."""
        known = self.__dict__.setdefault("by_layout", {})
        if layout not in known:
            of = {osd: n for n, group in enumerate(layout.groups) for osd in group.osds}
            count = len(layout.groups)
            known[layout] = sum(1 for pg in self if pg.pool in layout.pools and not (
                len(pg.up) == count == len({of.get(osd) for osd in pg.up} - {None})))
        return known[layout]

    def primaries(self, layout):
        """The OSDs that PGs in the scope of a Layout are read on."""
        known = self.__dict__.setdefault("primaries_of", {})
        if layout.pools not in known:
            known[layout.pools] = frozenset(pg.primary for pg in self if pg.pool in layout.pools)
        return known[layout.pools]

    @functools.cached_property
    def scrubbing(self):
        """The numbers of the pools in which scrubs run."""
        return frozenset(pg.pool for pg in self if pg.state & SCRUBBING)


class Osd(NamedTuple):
    id: int
    up: bool
    in_: bool
    affinity: float     # 0 to 1


class Seen(NamedTuple):
    """What the agent of a host reported about an OSD."""
    at: float           # when the controller noticed this report, by its own clock
    spinning: Optional[bool]        # None if the disk does not tell
    pending: int        # bytes in BlueStore's log that are not yet on the disk
    rate: float         # bytes a second that clients and primaries wrote to the OSD
    epoch: int          # of the newest OSD map that the OSD has
    options: dict       # {name: value} in effect, of steps.GATE and steps.VALVE
    starts: int = 0     # of the disk, today
    requests: Optional[int] = None      # to the disk: a counter
    unaligned: int = 0  # overwrites that had to read: a counter
    spilled: int = 0    # bytes of RocksDB that are on the disk, as block.db is full


class Group(NamedTuple):
    name: str           # of the CRUSH bucket
    type: str
    osds: tuple

    @property
    def mask(self):
        """Who gets an option that is set for the group, as `ceph config set` takes it."""
        return self.name if self.type == "osd" else f"osd/{self.type}:{self.name}"


class Layout(NamedTuple):
    groups: tuple       # of Group, by name
    pools: frozenset    # numbers of the pools in scope: replicated, one replica in each group
    left_out: tuple     # of (name of a pool, reason)
    type: str


class Probe(NamedTuple):
    """One OSD dozes for some time without being stopped, and its requests are counted."""
    osd: int
    seconds: float
    asked: float        # when: tells one probe from another
    began: Optional[float] = None       # since when it dozes
    ended: Optional[float] = None       # when it was counted last
    first: Optional[tuple] = None       # (requests, unaligned overwrites) when it began
    last: Optional[tuple] = None        # and when it was counted last
    done: bool = False

    @property
    def group(self):
        """The OSD as a group of its own."""
        return Group(f"osd.{self.osd}", "osd", (self.osd,))


class Lease(NamedTuple):
    """What the agent of a host is asked for: {osd: AWAKE or DOZE}, valid until a time."""
    want: dict
    until: float


@dataclasses.dataclass(frozen=True)
class Observed:
    """The cluster at one time."""
    now: float
    epoch: int
    osds: dict          # {number: Osd}
    pools: dict         # {number: Pool}
    pgs: Pgs
    layout: Optional[Layout]
    hosts: dict         # {OSD number: name of its host}
    options: dict       # {(who, name): value} of `config dump`; who is "osd/host:a", "osd.3", "osd"
    seen: dict          # {OSD number: Seen}
    leases: dict        # {host: Lease} that the agents have now
    flags: frozenset    # of the OSD map: {"noout"}
    releases: frozenset     # versions of the OSDs that run
    checks: frozenset   # of `health`: {"OSD_NEARFULL"}
    above: dict = dataclasses.field(default_factory=dict)   # {OSD number: masks of its buckets, the nearest first}
    load: float = 0.0   # in OSDs, see load.servers()
    scrub_interval: float = 7 * 86400   # seconds between deep scrubs


class Affinity(NamedTuple):
    """Set the primary affinity of an OSD."""
    osd: int
    value: float


class Config(NamedTuple):
    """Set an option for `who`; value None removes it."""
    who: str
    name: str
    value: Optional[str]


class Want(NamedTuple):
    """Give the agent of a host another Lease."""
    host: str
    lease: Lease


@dataclasses.dataclass(frozen=True)
class Options:
    """What the administrator decides."""
    g_min: int = 1              # replicas that stay on OSDs that are awake
    settle: float = 600         # seconds that all PGs must have been clean before a shift down
    hysteresis: float = 3600    # seconds from a shift to the next one down
    ahead: float = 1800         # a doze shorter than this is not begun: the load is predicted so far ahead
    surge: float = 30           # seconds that a load must exceed the gear to shift up
    frozen: float = 3600        # seconds that a change of the cluster keeps all groups awake
    rotation: float = 7 * 86400     # seconds in which the groups change places
    silence: float = 180        # seconds after which a report of an agent is too old
    give_up: float = 3600       # seconds after which a shift down that does not get on is undone
    lease: float = 900          # seconds for which an agent may act on what it was asked for
    patience: float = 120       # seconds that a wake waits for agents that do not report
    batch: int = 50             # OSDs whose affinity is changed at a time
    throttle: int = 256 << 20   # bluestore_throttle_deferred_bytes of a dozing OSD
    drain_at: int = 64 << 20    # pending bytes of an OSD at which its group is drained


@dataclasses.dataclass(frozen=True)
class Value:
    """A setting that parfleet changed. None: an option that is not set."""
    before: object      # before the doze: what it will be again
    now: object         # what it is to be
    last: object        # what it was before it was to be `now`
    confirmed: bool = False     # has it been seen to be `now`?


@dataclasses.dataclass(frozen=True)
class GroupState:
    """What is remembered of a group that is not simply awake."""
    since: float                # when it began to doze, to drain, or to wake
    want: str = DOZE            # DOZE, or AWAKE on its way back
    values: dict = dataclasses.field(default_factory=dict)  # {OSD number or (who, name): Value}
    valve: Optional[int] = None     # epoch of the OSD map when the valve was found closed in all its OSDs
    foreign: tuple = ()         # settings that somebody else changed: theirs from then on


@dataclasses.dataclass(frozen=True)
class State:
    """What the planner remembers. All else is read from the cluster each time."""
    gear: Optional[int] = None          # that the administrator asked for; None: automatic
    hold: Optional[str] = None          # "awake" or "freeze"; "mode" if the mode does not shift by the load
    groups: dict = dataclasses.field(default_factory=dict)  # {name: GroupState}; others are awake
    shifted: float = 0.0                # the last time that a group began to doze or to wake
    clean: Optional[float] = None       # all PGs were clean from then on
    frozen: Optional[float] = None      # the last time that a reason to freeze was seen
    over: Optional[float] = None        # the load exceeds the gear from then on
    layout: Optional[Layout] = None     # as it was when no group had been touched
    probe: Optional[Probe] = None       # under way, or the last one
    resumed: float = 0.0                # the last `resume` that was taken into account
    left: tuple = ()                    # names of groups to leave awake until resumed: somebody changed them


class Planned(NamedTuple):
    state: State
    intents: tuple      # of Affinity, Config, Want: to be done in this order, after the state is stored
    reasons: tuple      # of str: why this, and not another gear
    gear: int           # that is wanted now
