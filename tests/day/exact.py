# SPDX-License-Identifier: GPL-2.0
"""Gives the day's parts what has a known answer, and expects just that."""
import json
import pathlib
import re
import subprocess
import tempfile
import unittest
import xml.etree.ElementTree

import figures
from figures import Request

HERE = pathlib.Path(__file__).resolve().parent
PROFILE = "23 busy 50 80 0 0\n00 night 4 50 40 2  # past midnight\n01 busy 40 80 0 1\n"
SECOND = 10 ** 9
SETTINGS = {"policy": "auto", "up_threshold": 70, "up_wait": 250, "window_short": 3, "down_threshold": 50,
            "window_long": 300, "hold": 60}


def sample(at, uj, starts=(0, 0), states=("idle", "idle"), **par):
    return {"at": at, "uj": list(uj), "starts": list(starts), "states": list(states), **par}


def decision(at, word, reason, gear, copied=0):
    return {"at": at, "event": "decision", "decision": word, "reason": reason, "gear": gear, "about": gear,
            "propagated_bytes": copied, "explain": "gear 5 of 5, 1.5% +/- 0.5% busy: so and so"}


def shift(at, gear, ms, copied=0):
    return {"at": at, "event": "shift", "gear": gear, "members": 5, "shift_last_ms": ms, "propagated_bytes": copied}


def wake(at, member, cause="policy"):
    return {"at": at, "event": "wake", "member": member, "device": f"spin{member}", "cause": cause}


class Figures(unittest.TestCase):
    def test_energy(self):
        samples = [sample(0, (1, 1)), sample(60, (300_000_001, 60_000_001)), sample(120, (600_000_001, 660_000_001))]
        self.assertEqual(figures.joules(samples, 0, 60), 360)
        self.assertEqual(figures.joules(samples, 0, 120), 1260)
        self.assertEqual(figures.watts(samples, 60), [(0, 6), (60, 15)])
        self.assertEqual(figures.watts(samples, 120), [(0, 10.5)])

    def test_starts_count_from_the_first_look_on(self):
        self.assertEqual(figures.starts([sample(0, (0, 0), (7, 0)), sample(60, (0, 0), (9, 1))]), [2, 1])

    def test_who_waited(self):
        requests = [Request(0, op, 4096, latency, 0) for op, latency in (("r", SECOND), ("w", 20 * SECOND), ("r", SECOND - 1))]
        self.assertEqual(figures.waits(requests), requests[:2])

    def test_latencies(self):
        requests = [Request(0, "r", 512, ms * 10 ** 6, 0) for ms in range(1000, 0, -1)]
        self.assertEqual(figures.latencies(requests), {"mean": 500.5, "50 %": 501, "95 %": 951, "99 %": 991,
                                                       "99.9 %": 1000, "longest": 1000})
        self.assertEqual(figures.latencies(requests[:1])["99.9 %"], 1000)
        self.assertIsNone(figures.latencies([]))

    def test_between(self):
        requests = [Request(at, "r", 512, 1, 0) for at in (SECOND - 1, SECOND, 2 * SECOND - 1, 2 * SECOND)]
        self.assertEqual(figures.between(requests, 1, 2), requests[1:3])

    EVENTS = [decision(100, "down", "quiet", 3, 7), shift(110, 3, 9000, 500), wake(200, 4),
              decision(200, "up", "load", 5, 600), shift(220, 5, 20_000, 601), decision(300, "down", "quiet", 3, 700),
              decision(302, "abandon", "wait", 5, 750), decision(310, "stay", "budget", 5, 750), shift(350, 3, 5, 800)]
    SAMPLES = [sample(0, (0, 0), gear=5, propagated_bytes=0), sample(400, (0, 0), gear=3, propagated_bytes=900)]

    def test_turns(self):
        found = figures.turns(self.SAMPLES, self.EVENTS)
        self.assertEqual([(one["at"], one["from"], one["to"], one["decision"], one["reason"], one["ms"])
                          for one in found],
                         [(100, 5, 3, "down", "quiet", 9000), (200, 3, 5, "up", "load", 20_000),
                          (300, 5, 3, "down", "quiet", 5), (302, 5, 5, "abandon", "wait", None),
                          (310, 5, 5, "stay", "budget", None)])

    def test_a_shift_is_of_a_decision_to_that_gear(self):
        for before in ([], [decision(20, "stay", "cost", 3)], [decision(20, "up", "load", 5)],
                       [decision(20, "down", "quiet", 3), shift(25, 3, 4)]):
            found = figures.turns(self.SAMPLES, before + [shift(30, 3, 5)])
            self.assertEqual((found[-1]["at"], found[-1]["reason"], found[-1]["ms"]), (30, None, 5))

    def test_a_miss_is_a_reason(self):
        events = [shift(110, 3, 9000), wake(200, 3, "miss"), wake(201, 4, "miss"), shift(205, 5, 20_000),
                  shift(300, 3, 5)]
        found = figures.turns(self.SAMPLES, events)
        self.assertEqual([(one["at"], one["to"], one["decision"], one["reason"]) for one in found],
                         [(110, 3, None, None), (185, 5, "up", "miss"), (300, 3, None, None)])

    def test_what_was_read_before(self):
        one = Request(100 * SECOND, "r", 4096, 1, 0, 16)
        for at, op, size, sector, before in ((39, "r", 4096, 16, True), (41, "r", 4096, 16, False), (39, "w", 4096, 16, False),
                                             (39, "r", 4096, 24, False), (39, "r", 8192, 8, True), (39, "r", 4096, 12, False)):
            other = Request(at * SECOND, op, size, 1, 0, sector)
            self.assertEqual(figures.read_before([other, one], one), before)
        halves = [Request(SECOND, "r", 2048, 1, 0, sector) for sector in (16, 20)]
        self.assertTrue(figures.read_before(halves, one))

    def test_shifts(self):
        found = figures.shifts(self.SAMPLES, self.EVENTS)
        self.assertEqual([(one["at"], one["done"], one["propagated_bytes"]) for one in found],
                         [(100, 110, 593), (200, 220, 100), (300, 350, 200)])

    def test_gears(self):
        changes = figures.shifts(self.SAMPLES, self.EVENTS)
        self.assertEqual(figures.in_gears(5, changes, 0, 400), {5: 110 + 130, 3: 110 + 50})
        self.assertEqual(figures.in_gears(5, changes, 0, 110), {5: 110})
        self.assertEqual(figures.in_gears(5, changes, 120, 240), {3: 100, 5: 20})
        self.assertEqual(figures.in_gears(5, changes, 360, 400), {3: 40})
        self.assertEqual(figures.in_gears(5, [], 0, 9), {5: 9})

    def test_wakes(self):
        events = [*self.EVENTS, wake(201, 3), wake(300, 4), wake(400, 4, "request")]
        self.assertEqual(figures.wakes(events, 5), {"policy": [0, 0, 0, 1, 2], "request": [0, 0, 0, 0, 1]})

    def test_who_stood(self):
        samples = [sample(0, (0, 0)), sample(60, (0, 0), states=("idle", "standby")), sample(120, (0, 0))]
        self.assertTrue(figures.stood(samples, [1], [(60, 120)]))
        self.assertTrue(figures.stood(samples, [1], [(1, 60), (60, 61)]))
        self.assertFalse(figures.stood(samples, [0], [(60, 120)]))
        self.assertFalse(figures.stood(samples, [1], [(60, 61), (110, 121)]))
        self.assertFalse(figures.stood(samples, [1], [(61, 62)]))


class InDirectory(unittest.TestCase):
    def setUp(self):
        directory = tempfile.TemporaryDirectory()
        self.addCleanup(directory.cleanup)
        self.dir = pathlib.Path(directory.name)
        (self.dir / "profile").write_text(PROFILE)


class Told(InDirectory):
    """Three hours of two requests an hour; par saves 4 W of one disk in the second, and a miss ends this hour."""
    SECONDS = 3 * 3600
    NONE = [5 * 10 ** 6] * 6
    MISS = [5 * 10 ** 6] * 4 + [20 * SECOND, 5 * 10 ** 6]
    WATTS = {"par": (10, 6, 10), "raid5": (10, 10, 10), "raid5-sleep": (10, 8, 10),
             "few": (6, 6, 6), "few-sleep": (6, 5, 6)}

    def setUp(self):
        super().setUp()
        for kind, watts in self.WATTS.items():
            (self.dir / kind).mkdir()
            (self.dir / "cold").write_text(f"{7185 * SECOND} r 32 4096\n")
            self.latencies(kind, self.MISS if kind == "par" else self.NONE)
            self.day(kind, watts)

    def latencies(self, kind, ns, error=0, sector=None):
        """Each reads another sector. The fifth is the one of the cold file, at 00:59:45."""
        requests = (f"{(at * 1800 - 15 * (at == 4)) * SECOND} r {8 * at if sector is None else sector} 4096 {latency} "
                    f"{error}\n" for at, latency in enumerate(ns))
        (self.dir / kind / "latencies").write_text("".join(requests))

    def day(self, kind, watts):
        day = {"events": self.events() if kind == "par" else [], "gears": [3, 5], "settings": SETTINGS,
               "seconds": self.SECONDS, "status": 0, "size": 16 * 10 ** 12, "preset": "nearline",
               "command": "mdadm …", "room": {"par": 58, "few": 48, "few-sleep": 48}.get(kind, 64) * 10 ** 12,
               "image_share": 10,
               "sleep_after": 1200,
               "reports": [self.disk()] * 5, "samples": self.samples(kind, watts)}
        (self.dir / kind / "day.json").write_text(json.dumps(day))

    @staticmethod
    def events():
        """Down and up at the hours, and once not down."""
        return [decision(3590, "down", "quiet", 3, 10 ** 6 * 3590), shift(3600, 3, 10_000),
                wake(7199, 3, "miss"), wake(7199, 4, "miss"), shift(7200, 5, 20_000, 10 ** 6 * 4000),
                decision(8000, "down", "quiet", 3), decision(8001.5, "abandon", "load", 5)]

    def change(self, kind, change):
        path = self.dir / kind / "day.json"
        day = json.loads(path.read_text())
        change(day)
        path.write_text(json.dumps(day))

    def disk(self):
        return {**{ns: 0 for ns in figures.STATES}, "idle_ns": self.SECONDS * SECOND, "reads": 6, "writes": 0,
                "read_bytes": 24576, "written_bytes": 0}

    def samples(self, kind, watts):
        found = []
        for at in range(0, self.SECONDS + 1, 60):
            hours = [max(0, min(at - hour * 3600, 3600)) for hour in range(3)]
            used = sum(seconds * watt for seconds, watt in zip(hours, watts))
            low = 3600 < at <= 7200
            awake = kind in ("raid5", "few")
            sleeps = low and not awake and at >= 3660
            up = int(at > 7200 and not awake)
            found.append(sample(at, [used * 10 ** 6, 0, 0, 0, 0], [0, 0, 0, up, up],
                                ["idle"] * 3 + ["standby" if sleeps else "idle"] * 2, gear=3 if low else 5,
                                shifts=int(at > 3600) + int(at > 7200), shift_last_ms=1234,
                                propagated_bytes=10 ** 6 * min(at, 4000),
                                slots=100, slots_free=90, slot_hits=50, slot_misses=2))
        return found

    def tell(self, *statuses):
        done = subprocess.run([HERE / "tell", self.dir, *map(str, statuses or (0,) * 5)], check=False)
        report = json.loads((self.dir / "report.json").read_text())
        wrong = [claim["claim"] for claim in report["claims"] if not claim["holds"]]
        self.assertEqual(done.returncode, 1 if wrong else 0)
        return wrong, report

    def test_exact(self):
        wrong, report = self.tell()
        self.assertEqual(wrong, [])
        par = report["arrays"]["par"]
        self.assertEqual((par["joules"], par["watts_by_hour"]), (26 * 3600, [10, 6, 10]))
        self.assertEqual((par["requests"], par["disk_requests"], par["waited"]), (6, 30, 1))
        self.assertEqual(par["starts"], [0, 0, 0, 1, 1])
        text = (self.dir / "report.txt").read_text()
        for line in ("  energy                                        93,600 J       108,000 J       100,800 J        64,800 J        61,200 J",
                     "  mean power                                      8.67 W         10.00 W          9.33 W          6.00 W          5.67 W",
                     "  saved, compared with raid5                      13.3 %           0.0 %           6.7 %          40.0 %          43.3 %",
                     "  latency: mean                              3,337.50 ms         5.00 ms         5.00 ms         5.00 ms         5.00 ms",
                     "  00:00     0 %         3            6.00           10.00            8.00            6.00            5.00",
                     "  night 00:00-01:00   0 %        3  6.00   5.0  20,000 10.00   5.0       5  8.00   5.0       5  6.00   5.0       5  5.00   5.0       5",
                     "    for 10 TB of capacity                         1.49 W          1.56 W          1.46 W          1.25 W          1.18 W",
                     "  5 disks as raid5 have 17 % less capacity, and used 31 % less energy than par: use these if they hold "
                     "the data and the speed of 5 is not needed.",
                     "  1 of the files are cold: nothing else uses them, and each is read once",
                     "  Slots: 10 of 100 have images; 50 uses of a slot, 2 reads of data without one, for which the array "
                     "shifted up 1 times.",
                     "  2, 1 up and 1 down; 1 down: quiet, 1 up: miss",
                     "  33.3 % of the day in the gear of 3, 66.7 % of the day in the gear of 5"):
            self.assertIn(line + "\n", text)

    def test_reasons(self):
        self.tell()
        text = (self.dir / "report.txt").read_text().splitlines()
        first = next(n for n, line in enumerate(text) if line.startswith("  23:59:50"))
        self.assertEqual([line.split(None, 1)[0] for line in text[first:first + 4]],
                         ["23:59:50", "00:59:40", "01:13:20", "01:13:21"])
        for line, words in zip(text[first:], (
                ("5 -> 3", "quiet: it would be less than 50 % busy", "1.5 % +/- 0.5 %", "      10,000     410.0"),
                ("3 -> 5", "miss: data without an image was read", "20,000"),
                ("5 -> 3", "given up after 1.5 s"), ("stays 5", "load: busy, with the deviation, above 70 %"))):
            for word in words:
                self.assertIn(word, line)

    def test_a_shift_without_a_decision(self):
        claim = "par's policy was auto; for each change of the gear it has reported a decision with its reason"
        self.change("par", lambda day: day["events"].pop(0))
        wrong, report = self.tell()
        self.assertEqual(wrong, [claim])
        self.assertEqual([one["reason"] for one in report["shifts"]], [None, "miss"])
        self.assertIn("the reason is not known", (self.dir / "report.txt").read_text())
        for change in (lambda day: day["settings"].update(policy="manual"),  # and one that was not told:
                       lambda day: day["samples"][-1].update(shifts=3)):
            self.day("par", self.WATTS["par"])
            self.change("par", change)
            self.assertEqual(self.tell()[0], [claim])

    def test_a_disk_that_was_woken_by_another(self):
        claim = "they were started for the policy and for misses, and for no other cause"
        self.change("par", lambda day: day["events"].append(wake(9000, 4, "process dd[7]")))
        self.assertEqual(self.tell()[0], [claim])
        self.day("par", self.WATTS["par"])
        self.change("par", lambda day: day["events"].remove(wake(7199, 4, "miss")))
        self.assertEqual(self.tell()[0], [claim])

    def test_the_plot(self):
        self.tell()
        root = xml.etree.ElementTree.parse(self.dir / "watts.svg").getroot()
        self.assertTrue(root.tag.endswith("svg"))
        text = "".join(root.itertext())
        # It says what it shows, and its subject is the thickest line.
        self.assertIn("Watts of the same day on each array", text)
        widths = re.findall(r"gnuplot_plot_(\d+)\".*?stroke-width='?\"?([\d.]+)", (self.dir / "watts.svg").read_text(), re.S)
        widths = {int(number): float(width) for number, width in widths}
        self.assertTrue(all(widths[1] > widths[number] for number in range(2, 6)), widths)
        for word in ("raid5, sleeps", "night", "down: quiet", "up: miss", "23:00", "02:00"):
            self.assertIn(word, text)
        self.assertEqual((self.dir / "shifts.dat").read_text().split(), ["0.9972", "1.9944"])
        rows = (self.dir / "watts.dat").read_text().splitlines()
        self.assertEqual(rows[-1], "3.0000 10.000 10.000 10.000 6.000 6.000")
        self.assertEqual((len(rows), rows[6]), (19, "1.0000 6.000 10.000 8.000 6.000 5.000"))

    def test_a_machine_that_failed(self):
        (self.dir / "raid5/day.json").unlink()
        self.assertEqual(self.tell(0, 99, 0, 0, 0)[0],
                         ["raid5: its day is complete, and the kernel's log has no warning"])

    def test_errors_and_requests_that_are_missing(self):
        self.latencies("par", self.MISS, error=5)
        self.latencies("raid5-sleep", [5 * 10 ** 6] * 5)
        self.assertEqual(self.tell()[0], ["par on auto: all requests have ended, none with an error",
                                          "raid5, sleeps: all requests have ended, none with an error"])

    def test_a_request_that_waited(self):
        for kind in ("par", "raid5-sleep", "few-sleep"):
            self.latencies(kind, self.MISS)
        wrong, report = self.tell()
        self.assertEqual(wrong, [])
        self.assertEqual([one["waited"] for one in report["arrays"].values()], [1, 0, 1, 0, 1])
        self.assertEqual(report["arrays"]["par"]["waited_s"], 20)
        self.latencies("par", self.MISS, sector=32)
        self.assertEqual(self.tell()[0],
                         ["no request to par waited for a disk to spin up, but reads of data of which some had not been read"])

    def test_slots(self):
        share = "par has images of 10 % of its data, mdadm's default, and the files in use have slots"
        cold = "cold files were read in the low gear, and such a read starts the sleepers once"
        hits = "nearly all uses of the sleepers' data found images"
        for change, claim in ((lambda day: day.update(image_share=100), share),
                              (lambda day: day["samples"][-1].update(slots_free=100), share),
                              (lambda day: day["samples"][-1].update(slot_misses=5), hits),
                              (lambda day: day["samples"][-1].update(slot_misses=0), hits)):
            self.day("par", self.WATTS["par"])
            self.change("par", change)
            self.assertEqual(self.tell()[0], [claim])
        self.day("par", self.WATTS["par"])
        self.latencies("par", self.NONE)
        self.assertEqual(self.tell()[0], [cold])
        self.latencies("par", self.MISS)
        self.change("few", lambda day: day.update(room=58 * 10 ** 12))
        self.assertEqual(self.tell()[0], ["raid5 of one disk less has less capacity than par"])

    def test_a_sleeper_that_moved(self):
        day = json.loads((self.dir / "par/day.json").read_text())
        day["samples"][100]["states"][4] = "spinning up"
        for one in day["samples"][100:]:
            one["starts"][4] += 1
        (self.dir / "par/day.json").write_text(json.dumps(day))
        self.assertEqual(self.tell()[0], ["in the low gear its sleepers had stopped, in each sample",
                                          "they were started for the policy and for misses, and for no other cause"])

    def test_a_disk_that_does_not_add_up(self):
        self.change("raid5", lambda day: day["reports"][3].update(idle_ns=1))
        self.assertEqual(self.tell()[0], ["each disk's seconds in its states add up to the day"])


if __name__ == "__main__":
    unittest.main()
