# SPDX-License-Identifier: GPL-2.0
"""Sierra's and cold storage's figures from the simulator, which runs the real planner: weeks of up to 3,000 OSDs."""
import math
import os
import random
import resource
import sys
import time
import unittest

from parfleet.core import load, predict
from parfleet.sim import simulate

DAY = 24


def sine(osds, days, trough=0.25):
    """The peak of each hour of a load that swings between `trough` and 1 of all OSDs in a day."""
    middle, swing = (1 + trough) / 2, (1 - trough) / 2
    of_day = [max(middle + swing * math.sin(2 * math.pi * (hour + minute / 60) / DAY) for minute in range(61))
              for hour in range(DAY)]
    return [osds * of_day[hour % DAY] for hour in range(days * DAY)]


class Sierra(unittest.TestCase):
    def week(self, osds=90, days=9, **options):
        world = simulate.World(osds, 3, 100, simulate.options(**options))
        return simulate.run(world, sine(osds, days))

    def test_saving(self):
        """A sine with peak/trough 4 saves 22.2 % with hourly peaks in gears 1 to 3, and 16.7 % in gears 2 and 3.

        These are the figures of the arithmetic over all hours of a day. Two days pass until hours are predicted.
        """
        for g_min, saving in ((1, 22.2), (2, 16.7)):
            report = self.week(g_min=g_min)
            trained = report.hours[2 * DAY:]
            self.assertAlmostEqual(100 * simulate.saving(trained, 3), saving, 1)
            self.assertEqual([hour.gear for hour in report.hours[:2 * DAY]], [3] * 2 * DAY)
            self.assertFalse(any(hour.short for hour in trained))
            self.assertGreaterEqual(min(hour.least for hour in trained), g_min)

    def test_servers(self):
        """Sierra, 5.3: 15 servers and 3 loggers that never rest save 23 % of 18. So does a swing of 10:1, not of 8:1."""
        of_18 = []
        for swing, of_15 in ((4, 22.2), (8, 25.0), (10, 30.4)):
            world = simulate.World(15, 3, 100, simulate.options())
            trained = simulate.run(world, sine(15, 9, 1 / swing)).hours[2 * DAY:]
            self.assertAlmostEqual(100 * simulate.saving(trained, 3), of_15, 1)
            self.assertFalse(any(hour.short for hour in trained))
            of_18.append(simulate.saving(trained, 3) * 15 / 18)
        self.assertLess(of_18[1], 0.23)
        self.assertGreater(of_18[2], 0.23)

    def test_starts(self):
        """No disk starts more often than 30,000 times in 8 years (cold storage); rotation shares the starts out."""
        report = self.week(osds=9, days=30)
        by_group = [sum(report.starts[osd] for osd in range(n * 3, n * 3 + 3)) for n in range(3)]
        self.assertLessEqual(max(report.starts.values()) / 30, 30000 / (8 * 365))
        self.assertGreater(min(by_group), 0)
        self.assertLess(max(by_group), 3 * min(by_group))

    def test_failure(self):
        """An OSD of an awake group fails in a trough: all groups are awake in the same hour, until it is back."""
        loads = [9] * 4 * DAY
        world = simulate.World(90, 3, 100, simulate.options(frozen=0))
        report = simulate.run(world, loads, failures={70: ([0], []), 74: ([], [0])})
        gears = [hour.gear for hour in report.hours]
        self.assertEqual(gears[68:78], [1, 1, 3, 3, 3, 3, 1, 1, 1, 1])
        self.assertGreaterEqual(min(hour.least for hour in report.hours), 1)

    def test_surprise(self):
        """A load that was not predicted raises the gear in the same hour, and lowers it when it is over."""
        loads = [9.0] * 4 * DAY
        loads[80] = 55.0
        report = simulate.run(simulate.World(90, 3, 100, simulate.options()), loads)
        self.assertEqual([hour.gear for hour in report.hours[79:82]], [1, 2, 1])
        self.assertFalse(any(hour.short for hour in report.hours))

    def test_log(self):
        """Sierra, Table 2: the logs do not grow from day to day. Each is drained at its limit, one group at a time."""
        world = simulate.World(90, 3, 100, simulate.options(), rate=8000)
        hours = simulate.run(world, [9.0] * 12 * DAY).hours[2 * DAY:]
        limit = world.options.drain_at
        by_day = [max(hour.pending for hour in hours[n * DAY:(n + 1) * DAY]) for n in range(10)]
        self.assertLessEqual(max(by_day), limit + 3600 * 8000, "with what an hour brings")
        self.assertGreater(min(by_day), limit / 4, "there is something to drain")
        held = (10 * DAY - 1) * 3600 * 8000 * 60     # bytes: of the 60 OSDs of two groups, in gear 1
        self.assertLess(abs(world.drained + sum(world.pending.values()) - held) / held, 0.02)
        self.assertLess(max(world.starts.values()) / 10, 10)

    def test_large(self):
        """A week of 3,000 OSDs with 100 PGs each; RAIDPAR_WHOLE: in 2 minutes of CPU time and 500 MB."""
        whole = os.environ.get("RAIDPAR_WHOLE")
        osds = 3000 if whole else 600
        start = time.process_time()
        report = self.week(osds=osds, days=7 if whole else 3)
        self.assertGreaterEqual(min(hour.least for hour in report.hours), 1)
        self.assertEqual({hour.gear for hour in report.hours[2 * DAY:]}, {1, 2, 3})
        if whole:
            seconds, size = time.process_time() - start, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
            print(f"{osds} OSDs, 7 days: {seconds:.0f} s, {size:.0f} MiB", file=sys.stderr)
            self.assertLess(seconds, 120)
            self.assertLess(size, 500)


def weeks(kind, seed):
    """The peak of each hour of four weeks, as parts of the capacity: the shapes of Sierra's section 5.2, made up."""
    rnd = random.Random(seed)
    for hour in range(28 * DAY):
        load = 0.5 + 0.35 * math.sin(2 * math.pi * hour / DAY)
        if kind != "steady" and hour // DAY % 7 >= 5:
            load *= 0.6
        if kind == "bursty":
            load *= rnd.choices([1, rnd.uniform(1.2, 2)], [5, 1])[0]
        yield min(1.0, load * rnd.gauss(1, 0.01 if kind == "steady" else 0.06))


class Prediction(unittest.TestCase):
    """Sierra, Fig. 8: the error by the days of training, and how often the gear is right."""

    def of(self, kind, days):
        """(mean error as a part of the mean load, part of the hours with the right gear) after so many days."""
        errors, right, loads = [], [], []
        for seed in range(5):
            peaks = list(weeks(kind, seed))
            for begin in range(0, 28 - days):
                history = predict.History()
                for hour in range(begin * DAY, (begin + days) * DAY):
                    history.record(4 * 86400 + hour * 3600, peaks[hour])     # from a Monday on
                for hour in range((begin + days) * DAY, (begin + days + 1) * DAY):
                    foretold = history.predict(4 * 86400 + hour * 3600)
                    if foretold is None:
                        return None, None
                    errors.append(abs(foretold - peaks[hour]))
                    loads.append(peaks[hour])
                    right.append(load.gear_for(foretold, 1, 3, 1) == load.gear_for(peaks[hour], 1, 3, 1))
        return sum(errors) / sum(loads), sum(right) / len(right)

    def test_training(self):
        """Two days suffice for a steady load; weekends are known after two weeks."""
        self.assertEqual(self.of("steady", 1), (None, None), "one day foretells nothing")
        found = {kind: [self.of(kind, days) for days in (2, 3, 4, 5, 6, 14)] for kind in ("steady", "weekly", "bursty")}
        for kind, least in (("steady", 0.98), ("weekly", 0.85), ("bursty", 0.70)):
            print(f"{kind}: error by days of training " + ", ".join(f"{100 * e:.1f}" for e, _ in found[kind])
                  + " %, right gears " + ", ".join(f"{100 * r:.0f}" for _, r in found[kind]) + " %", file=sys.stderr)
            self.assertGreaterEqual(found[kind][-1][1], least, kind)
        errors = [error for error, _ in found["steady"]]
        self.assertLess(max(errors) - min(errors), 0.005, "flat")


class Arithmetic(unittest.TestCase):
    def test_layouts(self):
        """Sierra, Table 1: the servers that may be off, N (r - g) / r, and those a failed one is rebuilt to, N / r."""
        for osds in (15, 60, 3000):
            world = simulate.World(osds, 3, 100 if osds < 3000 else 30, simulate.options())
            for g in (1, 2):
                off = {osd for group in world.groups[g:] for osd in group.osds}
                self.assertEqual(len(off), osds * (3 - g) // 3)
                self.assertTrue(all(sum(osd not in off for osd in up) == g for up in world.sets))
            self.assertEqual(len(world.of[0].osds), osds // 3)

    def test_cold_storage(self):
        """Cold storage: 124.7, 100.6 and 73.8 W for 24 disks of which 0, 6 and 12 sleep: 5.2 W awake, 1 W asleep."""
        for asleep, watts in ((0, 124.7), (6, 100.6), (12, 73.8)):
            self.assertAlmostEqual((24 - asleep) * 124.7 / 24 + asleep * 1.0, watts, delta=watts * 0.015)


if __name__ == "__main__":
    unittest.main()
