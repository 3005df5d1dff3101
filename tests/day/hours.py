# SPDX-License-Identifier: GPL-2.0
"""The profile of a day: one line for each hour, as described in the file `profile`."""
import dataclasses

HOUR = 3600


@dataclasses.dataclass
class Hour:
    hour: int        # on the clock
    part: str
    sessions: float  # so many begin, in the mean
    reads: float     # percent of them
    rush: int        # so many more begin in its first minute
    cold: int        # so many files are read that nothing else uses
    start: int = 0   # seconds from the beginning of the day


@dataclasses.dataclass
class Part:
    """Hours that follow each other and have the same name."""
    name: str
    start: int
    end: int


def read_profile(path):
    hours = []
    with open(path, encoding="ascii") as file:
        for line in file:
            fields = line.partition("#")[0].split()
            if fields:
                hour, part, sessions, reads, rush, cold = fields
                hours.append(Hour(int(hour), part, float(sessions), float(reads), int(rush), int(cold),
                                  len(hours) * HOUR))
    return hours


def parts(hours):
    found = []
    for hour in hours:
        if not found or found[-1].name != hour.part:
            found.append(Part(hour.part, hour.start, hour.start))
        found[-1].end = hour.start + HOUR
    return found
