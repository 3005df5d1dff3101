# SPDX-License-Identifier: GPL-2.0
"""Scrubs: they read all replicas, so they run in the top gear only. What this leaves undone is a debt."""
from typing import NamedTuple

DAY = 86400
# A deep scrub may be late by this part of its interval: Ceph itself delays scrubs at random, by up to 0.5
# (osd_scrub_interval_randomize_ratio), and warns from 0.75 on (mon_warn_pg_not_deep_scrubbed_ratio).
LATE, OVERDUE = 1.5, 1.75


class Debt(NamedTuple):
    """The number of PGs whose last deep scrub is late, and of those that have to be scrubbed before all else."""
    late: int
    overdue: int


def debt(ages):
    """The Debt of PGs whose last deep scrubs were so many intervals ago."""
    ages = list(ages)
    return Debt(sum(age > LATE for age in ages), sum(age > OVERDUE for age in ages))


def share_of_time(used, speed, interval):
    """The part of all time in which a disk with `used` bytes is read for deep scrubs, at `speed` bytes a second."""
    return used / speed / interval


def least_interval(used, speed, awake):
    """The shortest interval in s between deep scrubs that fits into the part `awake` of all time; None for never."""
    return used / speed / awake if awake > 0 else None
