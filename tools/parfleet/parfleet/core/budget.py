# SPDX-License-Identifier: GPL-2.0
"""Budgets: the bytes that a dozing OSD may keep in its log, and the wear of flash."""
from typing import NamedTuple

MIB = 1 << 20
# bluestore_throttle_bytes: what BlueStore accepts besides the deferred bytes. Half of the sum may wait; then
# BlueStore writes by itself. Measured: a limit of 16 MiB woke the disk at 40 MiB.
THROTTLE = 64 * MIB
RAM_A_BYTE = 1.5    # memory for a pending byte, measured: 1 to 1.5
DRAIN_AT = 0.4      # of what may wait: the planner drains before BlueStore has to


class Limit(NamedTuple):
    """bluestore_throttle_deferred_bytes for an OSD, and the pending bytes at which the planner drains it."""
    throttle: int
    drain_at: int


def deferral(free_db, ram, write_rate, spin_up):
    """The Limit for OSDs with `free_db` bytes of unused block.db and `ram` bytes to spare.

    write_rate: bytes a second that each of them writes; spin_up: seconds. While a disk starts, writes need
    room: half of the limit for twice the time. Raises ValueError with the reason if there is too little.
    """
    throttle = int(min(free_db / 4, ram / RAM_A_BYTE)) // MIB * MIB
    least = int(2 * write_rate * 2 * spin_up)
    if throttle < max(least, MIB):
        raise ValueError(f"room for {throttle // MIB} MiB of pending writes for each OSD, and writes need "
                         f"{max(least // MIB, 1)} MiB: give block.db more space, or OSDs more memory")
    return Limit(throttle, int(DRAIN_AT * (THROTTLE + throttle) / 2))


def wear(write_rate, hours, size):
    """How many times a day block.db of `size` bytes is overwritten by writes that wait there.

    Each byte goes to RocksDB's log and to a file of level 0: twice. `hours` a day in a doze.
    """
    return 2 * write_rate * hours * 3600 / size
