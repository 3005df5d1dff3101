# SPDX-License-Identifier: GPL-2.0
"""The core of parfleet: hash, layouts, load, prediction, gears, scrubs, budgets, on dumps of two releases of Ceph."""
import collections
import copy
import dataclasses
import json
import pathlib
import random
import unittest

from parfleet.core import affinity, budget, gears, guard, layout, load, observe, plan, predict, scrub, steps
from parfleet.core.model import GroupState, Options, Pgs, State

DUMPS = {path.stem: json.loads(path.read_text()) for path in
         sorted((pathlib.Path(__file__).parent / "dumps").glob("*.json"))}
# Affinities that were set in a cluster of Ceph 16.2.15, and the primaries that it chose: tests/fleet/dumps/README.md
CHOSEN = json.loads((pathlib.Path(__file__).parent / "dumps" / "primaries").read_text())
MONDAY = 4 * 86400      # 5 January 1970
HOUR, DAY = 3600, 86400


class Affinity(unittest.TestCase):
    def test_hash(self):
        """The model names the primary that Ceph chose, for each PG."""
        up = {pg["pgid"]: pg["up"] for pg in CHOSEN["before"]}
        self.assertEqual(len(up), 65)
        for trial in CHOSEN["trials"]:
            values = {int(osd): int(value * affinity.FULL) for osd, value in trial["affinity"].items()}
            for pg, chosen in trial["primaries"].items():
                pool, number = pg.split(".")
                seed = affinity.placement_seed(int(pool), int(number, 16), CHOSEN["pgp_num"][pool])
                self.assertEqual(affinity.primary(up[pg], seed, values), chosen, f"{pg} {trial['affinity']}")

    def test_nobody_wants(self):
        """If all refuse, the first is the primary."""
        self.assertEqual(affinity.primary([5, 3], 1, {5: 0, 3: 0}), 5)

    def test_share(self):
        """An OSD is the primary of about the part of PGs that its affinity says."""
        count = sum(affinity.primary([1, 2], affinity.hash2(n, 7), {1: 0x4000}) == 1 for n in range(4000))
        self.assertTrue(940 < count < 1060, count)


class Observe(unittest.TestCase):
    def test_releases(self):
        for release, dumps in DUMPS.items():
            obs = observe.observe(dumps, {}, {}, observe.deep_scrubs(dumps["pg dump"]), 1.8e9)
            self.assertEqual(obs.releases, {release})
            self.assertEqual([group.osds for group in obs.layout.groups], [(0, 1, 2), (3, 4, 5), (6, 7, 8)])
            self.assertEqual(obs.layout.groups[0].mask, "osd/pdu:gear0")
            self.assertEqual(len(obs.pgs), 65)
            self.assertEqual(obs.load, 0)
            self.assertTrue(all(abs(pg.deep - 1795885692) < 600 for pg in obs.pgs), obs.pgs[0])

    def test_stamp(self):
        self.assertEqual(observe.stamp("1970-01-02T00:00:01.5+0000"), 86401.5)
        self.assertEqual(observe.stamp("1970-01-02T01:00:00+01:00"), 86400)
        self.assertEqual(observe.stamp("1970-01-01 23:00:00Z"), 82800)
        self.assertRaises(ValueError, observe.stamp, "yesterday")

    def test_numbers(self):
        """The monitors print the same option in several forms."""
        for text, value in (("0.000000", "0"), ("0", "0"), ("1.50", "1.5"), ("false", "false"), ("8388608", "8388608")):
            self.assertEqual(observe.value_of(text), value)

    def test_damaged_reports(self):
        """A report that is not in order counts as none, whatever it is, and those of other hosts count."""
        good = {"at": 1, "osds": {"1": {"spinning": None, "pending": 0, "rate": 0, "epoch": 1, "options": {}}}}
        bad = [None, [], 3, {}, {"at": 1, "osds": []}, {"at": "x", "osds": {"2": good["osds"]["1"]}},
               {"at": 1, "osds": {"2": {**good["osds"]["1"], "spinning": 1}}},
               {"at": 1, "osds": {"2": {**good["osds"]["1"], "pending": 1e999}}}]
        self.assertEqual(list(observe.reports({"good": good, **dict(enumerate(bad))}, {1: "good"})), [1])
        self.assertEqual(observe.leases({"a": 3, "b": {"osds": {"1": "doze"}, "until": "9"}})["b"].until, 9)


class Layouts(unittest.TestCase):
    def setUp(self):
        self.dumps = copy.deepcopy(DUMPS["16.2.15"])

    def detect(self):
        pools = list(observe.pools(self.dumps["osd dump"]).values())
        return layout.detect(layout.tree(self.dumps["osd crush dump"]), pools, observe.pgs(self.dumps["pg dump"], {}))

    def refused(self, words):
        found, reason = self.detect()
        self.assertIsNone(found)
        self.assertIn(words, reason)

    def test_rule(self):
        """PGs that lie well by chance do not make groups: the rule has to keep them there."""
        self.dumps["osd dump"]["pools"][0]["crush_rule"] = 0
        self.refused("does not spread replicas over the type pdu")

    def test_misplaced(self):
        pg = self.dumps["pg dump"]["pg_map"]["pg_stats"][3]
        for up in [0, 1, 8], [0, 8], [0, 8, 99]:
            pg["up"] = up
            found, reason = self.detect()
            self.assertEqual((found.type, reason), ("pdu", "1 PGs do not have one replica in each pdu"))

    def test_erasure(self):
        """An erasure-coded pool on the same OSDs would wake them; on others it does not matter."""
        self.dumps["osd dump"]["pools"].append({**self.dumps["osd dump"]["pools"][1], "pool": 9, "pool_name": "ec",
                                                "type": 3})
        self.assertEqual(self.detect()[0].left_out, (("ec", "erasure-coded: a read needs several shards"),))
        self.dumps["pg dump"]["pg_map"]["pg_stats"].append(
            {**self.dumps["pg dump"]["pg_map"]["pg_stats"][0], "pgid": "9.0"})
        self.refused("on the same OSDs: ec")

    def flash(self, osds):
        """A pool below a root of its own, with these OSDs: as metadata of CephFS on flash."""
        crush = self.dumps["osd crush dump"]
        crush["buckets"].append({"id": -100, "name": "flash", "type_name": "root", "items": [{"id": n} for n in osds]})
        rule = copy.deepcopy(crush["rules"][0])
        rule.update(rule_id=77, rule_name="flash")
        for step in rule["steps"]:
            if step["op"] == "take":
                step["item"] = -100
        crush["rules"].append(rule)
        pool = self.dumps["osd dump"]["pools"][0]
        self.dumps["osd dump"]["pools"].append({**pool, "pool": 8, "pool_name": "meta", "crush_rule": 77})
        stats = self.dumps["pg dump"]["pg_map"]["pg_stats"]
        stats.append({**stats[0], "pgid": "8.0", "up": osds[:3], "acting": osds[:3], "acting_primary": osds[0]})

    def test_roots(self):
        """A pool on OSDs of its own, below a smaller root, is left out, and its load does not count."""
        before = self.detect()[0]
        self.flash([100, 101, 102])
        found = self.detect()[0]
        self.assertEqual((found.groups, found.pools), (before.groups, before.pools))
        self.assertEqual(found.left_out, (("meta", "is on other OSDs, below flash"),))
        stats = [{"pool_id": number, "client_io_rate": {"read_op_per_sec": 315}} for number in (8, min(found.pools))]
        obs = observe.observe({**self.dumps, "osd pool stats": stats}, {}, {}, {}, 0.0)
        self.assertAlmostEqual(obs.load, 1.0)

    def test_roots_alike(self):
        """It is not guessed which of two roots has the disks, and a root must not have OSDs of the groups."""
        self.flash([0, 1, 2])
        self.refused("on the same OSDs: meta")
        self.setUp()
        self.flash(list(range(100, 109)))
        self.refused("several roots of CRUSH: default, flash")

    def test_sizes(self):
        self.dumps["osd dump"]["pools"][1]["size"] = 2
        self.refused("2 and 3 replicas")
        for pool in self.dumps["osd dump"]["pools"]:
            pool["size"] = 1
        self.refused("no pool is replicated")

    def flat(self):
        """The same cluster without groups: nine hosts below the root."""
        crush = self.dumps["osd crush dump"]
        hosts = [b for b in crush["buckets"] if b["type_name"] == "host"]
        crush["buckets"] = [b for b in crush["buckets"] if b["type_name"] != "pdu"]
        root = next(b for b in crush["buckets"] if b["name"] == "default")
        root["items"] = [{"id": host["id"], "weight": 65536, "pos": n} for n, host in enumerate(hosts)]
        for rule in crush["rules"]:
            rule["steps"][1]["type"] = "host"
            rule["rule_name"] += "-old"

    def test_build(self):
        """Commands that make groups: all hosts, in groups of the same size, and nothing moves in the first step."""
        self.flat()
        self.refused("no bucket type has exactly 3 buckets below default")
        pools = list(observe.pools(self.dumps["osd dump"]).values())
        steps = layout.build(layout.tree(self.dumps["osd crush dump"]), pools, {osd: 100 for osd in range(9)})
        self.assertEqual([step.moves for step in steps], [0, 0, 900])
        first, second, third = ([command.text for command in step.commands] for step in steps)
        self.assertEqual(first[3:], ["ceph osd crush rule create-replicated gears default pdu"])
        self.assertEqual(second[0], "ceph osd set norebalance", "before anything changes")
        moved = collections.Counter(line.split()[-1] for line in second if " move " in line)
        self.assertEqual(moved, {"pdu=gear0": 3, "pdu=gear1": 3, "pdu=gear2": 3})
        self.assertEqual(second[-2:], [f"ceph osd pool set {pool.name} crush_rule gears" for pool in pools])
        self.assertEqual(third, ["ceph osd unset norebalance"])
        self.dumps["osd crush dump"]["rules"][0]["rule_name"] = "gears"
        with self.assertRaisesRegex(ValueError, "the CRUSH rule gears exists"):
            layout.build(layout.tree(self.dumps["osd crush dump"]), pools, {})
        self.dumps["osd crush dump"]["rules"][0]["rule_name"] = "old"
        with self.assertRaisesRegex(ValueError, "the bucket type host is in use"):
            layout.build(layout.tree(self.dumps["osd crush dump"]), pools, {}, kind="host")

    def test_build_goes_on(self):
        """What is done already is not done again: groups that are there, hosts in them, pools with the rule."""
        self.flat()
        pools = list(observe.pools(self.dumps["osd dump"]).values())
        crush = self.dumps["osd crush dump"]
        hosts = {b["name"]: b for b in crush["buckets"] if b["type_name"] == "host"}
        root = next(b for b in crush["buckets"] if b["name"] == "default")
        crush["buckets"].append({"id": -99, "name": "gear0", "type_name": "pdu", "items": [
            {"id": hosts["h8"]["id"]}, {"id": hosts["h7"]["id"]}]})
        root["items"] = [item for item in root["items"] if item["id"] not in (hosts["h8"]["id"], hosts["h7"]["id"])]
        root["items"].append({"id": -99})
        texts = [command.text for step in layout.build(layout.tree(crush), pools, {}) for command in step.commands]
        self.assertNotIn("ceph osd crush add-bucket gear0 pdu root=default", texts)
        moved = collections.Counter(text.split()[-1] for text in texts if " move " in text)
        self.assertEqual(moved, {"pdu=gear0": 1, "pdu=gear1": 3, "pdu=gear2": 3})

    def test_share_out(self):
        self.assertEqual(layout.share_out({"a": 5, "b": 3, "c": 3, "d": 1}, 2), [["a", "d"], ["b", "c"]])


class Load(unittest.TestCase):
    def test_formula(self):
        """Sierra, section 3.4, by hand: 100/50 + 3 x 40/80 = 3.5 by requests, 10/5 + 3 x 20/10 = 8 by bytes."""
        speed = load.Speed(50, 80, 5, 10)
        self.assertEqual(load.servers(load.Rates(100, 40, 0, 0), speed, 3), 3.5)
        self.assertEqual(load.servers(load.Rates(100, 40, 10, 20), speed, 3), 8)

    def test_pool_stats(self):
        stats = [{"pool_id": 2, "client_io_rate": {"read_op_per_sec": 3, "write_bytes_sec": 9}}, {"pool_id": 1}]
        self.assertEqual(load.rates_of(stats), {2: load.Rates(3, 0, 0, 9), 1: load.Rates()})

    def test_gear(self):
        """g = ceil(r L / N)."""
        for servers, gear in ((0, 1), (3, 1), (3.001, 2), (6, 2), (6.1, 3), (99, 3)):
            self.assertEqual(load.gear_for(servers, 9, 3, 1), gear, servers)
        self.assertEqual(load.gear_for(0, 9, 3, 2), 2)
        self.assertEqual(load.gear_for(0.1 + 0.2, 9, 30, 1), 1)     # 0.30000000000000004


class Predict(unittest.TestCase):
    def test_peaks(self):
        """The mean of the peaks of the same hour, working days and days off apart; today does not count."""
        history = predict.History()
        for day in range(14):
            for second, value in ((600, 1), (1800, 10 + day), (3599, 2)):
                history.record(MONDAY + day * DAY + 9 * HOUR + second, value)
        when = MONDAY + 14 * DAY + 9 * HOUR
        self.assertEqual(history.predict(when), 10 + (0 + 1 + 2 + 3 + 4 + 7 + 8 + 9 + 10 + 11) / 10)
        self.assertEqual(history.predict(when + 5 * DAY), 10 + (5 + 6 + 12 + 13) / 4)
        self.assertIsNone(history.predict(when + HOUR))
        self.assertEqual(history.predict(MONDAY + 2 * DAY + 9 * HOUR), 10.5)
        self.assertIsNone(history.predict(MONDAY + 1 * DAY + 9 * HOUR))

    def test_kept(self):
        """28 days before today are kept; days of a clock that was ahead are dropped."""
        history = predict.History()
        history.record(MONDAY + 400 * DAY, 5)
        for day in range(40):
            history.record(MONDAY + day * DAY, day)
        self.assertEqual(sorted(history.peaks), list(range(4 + 11, 4 + 40)))
        again = predict.History.from_json(json.loads(json.dumps(history.to_json())))
        self.assertEqual(again.peaks, history.peaks)
        self.assertLess(len(json.dumps(history.to_json())), 64 << 10)
        for bad in ({"1": [1]}, {"x": [None] * 24}, [], {"1": ["x"] * 24}, {"1": None}):
            self.assertRaises(ValueError, predict.History.from_json, bad)

    def test_weekend(self):
        self.assertEqual([predict.is_weekend(day) for day in range(4, 11)], [False] * 5 + [True] * 2)


class Gears(unittest.TestCase):
    def test_rotation(self):
        """Each group is awake as long as any other over r periods, whatever the gear."""
        for gear in (1, 2):
            awake = collections.Counter(name for week in range(6) for name in
                                        gears.order(["b", "a", "c"], week * 7 * DAY + 5, 7 * DAY)[:gear])
            self.assertEqual(set(awake.values()), {2 * gear})

    def wanted(self, now_in=3, load_now=0.0, predicted=0.0, **state):
        obs = dataclasses.replace(observe.observe(DUMPS["18.2.7"], {}, {}, {}, MONDAY + 20 * DAY), load=load_now)
        history = predict.History({day: [predicted] * 24 for day in range(10, 24)})
        groups = {f"gear{n}": GroupState(0.0) for n in range(now_in, 3)}
        return gears.wanted(obs, State(groups=groups, **state), history, Options())[0]

    def test_choice(self):
        now = MONDAY + 20 * DAY
        self.assertEqual(self.wanted(), 1)
        self.assertEqual(self.wanted(shifted=now - 3599), 3, "down only an hour after the last shift")
        self.assertEqual(self.wanted(now_in=1, predicted=3.5, shifted=now), 2, "up at once by the prediction")
        self.assertEqual(self.wanted(now_in=1, load_now=8.0, over=now - 29), 1, "a surge of 29 s")
        self.assertEqual(self.wanted(now_in=1, load_now=8.0, over=now - 30, shifted=now), 3, "a surge of 30 s")
        self.assertEqual(self.wanted(load_now=5.0), 2, "the present load counts, too")
        self.assertEqual(self.wanted(gear=2), 2)
        self.assertEqual(self.wanted(gear=1, hold="awake"), 3)
        self.assertEqual(self.wanted(now_in=2, gear=1, hold="freeze"), 2)

    def test_unknown(self):
        """No doze in an hour that was never seen."""
        obs = observe.observe(DUMPS["18.2.7"], {}, {}, {}, 1.8e9)
        self.assertEqual(gears.wanted(obs, State(), predict.History(), Options())[0], 3)


class Scrub(unittest.TestCase):
    def test_debt(self):
        self.assertEqual(scrub.debt(n for n in (2.4, 1.6, 1.5, 1.1)), scrub.Debt(2, 1))

    def test_interval(self):
        """The cluster's interval counts, and that of a pool before it."""
        dumps = copy.deepcopy(DUMPS["16.2.15"])
        deep = observe.deep_scrubs(dumps["pg dump"])
        obs = observe.observe(dumps, {}, {}, deep, 1795885692 + 12 * DAY)
        self.assertEqual(guard.debt(obs).late, 65)
        dumps["config dump"].append({"section": "global", "mask": "", "name": "osd_deep_scrub_interval",
                                     "value": "2419200.000000"})
        self.assertEqual(guard.debt(observe.observe(dumps, {}, {}, deep, obs.now)).late, 0)
        dumps["osd dump"]["pools"][0]["options"] = {"deep_scrub_interval": 86400}
        self.assertEqual(guard.debt(observe.observe(dumps, {}, {}, deep, obs.now)).late, 1)

    def test_time(self):
        """8 TB at 50 MB/s are 44 hours, weekly a quarter of all time."""
        self.assertAlmostEqual(scrub.share_of_time(8e12, 50e6, 7 * DAY), 0.26, 2)
        self.assertEqual(scrub.least_interval(8e12, 50e6, 0.5), 320000)
        self.assertIsNone(scrub.least_interval(8e12, 50e6, 0))


class Budget(unittest.TestCase):
    def test_deferral(self):
        """A limit of 16 MiB woke a disk at 40 MiB (measured); the planner drains at 40 % of this."""
        limit = budget.deferral(64 << 20, 24 << 20, 1e6, 3)
        self.assertEqual(limit, (16 << 20, int(0.4 * (40 << 20))))
        self.assertEqual(budget.deferral(40 << 30, 300 << 20, 1e6, 10).throttle, 200 << 20)
        with self.assertRaisesRegex(ValueError, "room for 16 MiB .* need 38 MiB"):
            budget.deferral(64 << 20, 1 << 30, 1e6, 10)

    def test_wear(self):
        self.assertAlmostEqual(budget.wear(1e6, 12, 86.4e9), 1.0)


class Size(unittest.TestCase):
    def test_thousands(self):
        """A plan for 3,000 OSDs and 100,000 PGs, which takes no time that grows with the square of these."""
        rnd = random.Random(1)
        obs = observe.observe(DUMPS["18.2.7"], {}, {}, {}, 1.8e9)
        groups = tuple(group._replace(osds=tuple(range(n * 1000, (n + 1) * 1000)))
                       for n, group in enumerate(obs.layout.groups))
        pgs = []
        for n in range(100000):
            up = tuple(rnd.choice(group.osds) for group in groups)
            pgs.append(obs.pgs[0]._replace(id=f"2.{n:x}", pool=2, up=up, acting=up, primary=up[0], deep=1.8e9))
        osds = {osd: obs.osds[0]._replace(id=osd) for osd in range(3000)}
        obs = dataclasses.replace(obs, pgs=Pgs(pgs), osds=osds, layout=obs.layout._replace(groups=groups),
                                  hosts={osd: f"h{osd // 30}" for osd in osds})
        planned = plan.plan(obs, State(gear=1), predict.History(), Options(settle=0))
        self.assertEqual(planned.gear, 1)
        self.assertIn("100000 PGs would have fewer than 1 replicas awake", planned.reasons[-1])


class Regressions(unittest.TestCase):
    def test_valve(self):
        """Never a large interval: BlueStore then drains nothing for hours, whatever is set later."""
        self.assertLessEqual({float(value) for value in (steps.CLOSED, steps.DRAINING)}, {0.0, 1.0})


if __name__ == "__main__":
    unittest.main()
