# SPDX-License-Identifier: GPL-2.0
"""The load of an hour, predicted from the same hour of previous days (Sierra, section 3.4).

Sierra takes the peak of each hour, and the mean of these peaks over the previous days. Days off the working
week are averaged apart here if there are any. Hours are of UTC: a change of the clock in spring moves the users'
day by an hour, and the newer days then outweigh the older ones within the 28 that are kept.
"""
DAYS, HOURS = 28, 24
HOUR, DAY = 3600, 86400
LEAST = 2       # days that an hour must have been seen on, to be predicted


class History:
    """The peak of each hour of the last 28 days: peaks[day since 1970][hour] is a load in OSDs, or None."""

    def __init__(self, peaks=None):
        self.peaks = peaks or {}

    def record(self, now, load):
        """Take into account a load at the time `now` (seconds since 1970). Older days than 28 are dropped."""
        day, hour = int(now // DAY), int(now % DAY // HOUR)
        hours = self.peaks.setdefault(day, [None] * HOURS)
        if hours[hour] is None or load > hours[hour]:
            hours[hour] = round(load, 4)
        if len(self.peaks) > DAYS + 1 or min(self.peaks) < day - DAYS or max(self.peaks) > day:
            # Days of the future are of a clock that was wrong.
            self.peaks = {d: h for d, h in self.peaks.items() if day - DAYS <= d <= day}

    def predict(self, when):
        """The load to expect in the hour that contains `when`; None if it was seen on fewer than two days.

        Only days before that of `when` count: those of its kind (working or not), or all if there are too few.
        """
        day, hour = int(when // DAY), int(when % DAY // HOUR)
        past = [(d, hours[hour]) for d, hours in self.peaks.items()
                if day - DAYS <= d < day and hours[hour] is not None]
        alike = [load for d, load in past if is_weekend(d) == is_weekend(day)]
        loads = alike if len(alike) >= LEAST else [load for _, load in past]
        return sum(loads) / len(loads) if len(loads) >= LEAST else None

    def to_json(self):
        return {str(day): hours for day, hours in sorted(self.peaks.items())}

    @classmethod
    def from_json(cls, data):
        """Raises ValueError if `data` is not of to_json()."""
        try:
            peaks = {int(day): [None if v is None else float(v) for v in hours] for day, hours in data.items()}
        except (AttributeError, TypeError) as error:
            raise ValueError(f"no history: {error}") from None
        if any(len(hours) != HOURS for hours in peaks.values()):
            raise ValueError("no history: a day has 24 hours")
        if any(v is not None and not 0 <= v < float("inf") for hours in peaks.values() for v in hours):
            raise ValueError("no history: a load is a number from 0 on")
        return cls(peaks)


def is_weekend(day):
    """Is day number `day` since 1970, a Thursday, a Saturday or a Sunday?"""
    return (day + 3) % 7 >= 5
