# SPDX-License-Identifier: GPL-2.0
"""The load of a cluster in units of servers (Sierra, section 3.4)."""
import math
from typing import NamedTuple


class Rates(NamedTuple):
    """Requests of clients, a second: reads and writes, and their bytes. Replicas are not counted."""
    reads: float = 0.0
    writes: float = 0.0
    read_bytes: float = 0.0
    write_bytes: float = 0.0

    def plus(self, other):
        return Rates(*(mine + theirs for mine, theirs in zip(self, other)))


class Speed(NamedTuple):
    """What one OSD sustains, a second: requests and bytes, each of reads and of writes. All above 0."""
    reads: float = 315.0
    writes: float = 315.0
    read_bytes: float = 120e6
    write_bytes: float = 120e6


def rates_of(pool_stats):
    """The Rates of each pool in the JSON of `osd pool stats`: {pool number: Rates}. Idle pools have none in it."""
    names = "read_op_per_sec", "write_op_per_sec", "read_bytes_sec", "write_bytes_sec"
    return {pool["pool_id"]: Rates(*(float(pool.get("client_io_rate", {}).get(name, 0)) for name in names))
            for pool in pool_stats}


def servers(rates, speed, copies):
    """L: how many OSDs it takes to sustain `rates`; each write costs `copies` disks.

    Sierra, section 3.4: L = max(L_nonseq, L_seq). Ceph does not tell random requests from streams, so all count
    as requests and all count as bytes.
    """
    by_count = rates.reads / speed.reads + copies * rates.writes / speed.writes
    by_bytes = rates.read_bytes / speed.read_bytes + copies * rates.write_bytes / speed.write_bytes
    return max(by_count, by_bytes)


def gear_for(load, osds, copies, least):
    """The lowest gear that sustains a load of `load` OSDs of `osds`: from `least` to `copies`.

    Sierra, section 3.4: g = ceil(r L / N). Rounding errors of less than 1e-9 gears do not raise the gear.
    """
    return min(copies, max(least, math.ceil(copies * load / osds - 1e-9)))
