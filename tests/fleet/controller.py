# SPDX-License-Identifier: GPL-2.0
"""The controller on a fake cluster: whole shifts, its death after each command, Ceph and the administrator first."""
import copy
import dataclasses
import json
import pathlib
import unittest

from parfleet.core import steps
from parfleet.core.model import Options
from parfleet.ctl import control, store
from parfleet.ctl.controller import Controller, MonError, OtherOwner, release
from parfleet.sim.fake import Fake

DUMPS = pathlib.Path(__file__).parent / "dumps"
OPTIONS = Options(settle=4, hysteresis=6, ahead=0, surge=4, frozen=20, silence=10, give_up=60, lease=60, patience=20)


class Dead(Exception):
    pass


class Case(unittest.TestCase):
    def setUp(self):
        self.fake = Fake(json.loads((DUMPS / "18.2.7.json").read_text()))
        self.options = OPTIONS
        self.first = copy.deepcopy(self.kept())
        self.start()

    def start(self, owner="a"):
        self.controller = Controller(self.fake, lambda: self.fake.now, self.options, owner)

    def kept(self):
        """What an administrator would compare: the OSD map without epochs, and the options."""
        osd_dump = {k: v for k, v in self.fake.dumps["osd dump"].items() if k != "epoch"}
        return osd_dump, sorted(json.dumps(o, sort_keys=True) for o in self.fake.dumps["config dump"])

    def run_for(self, rounds, change=None, reads=True):
        for _ in range(rounds):
            planned, change = self.controller.step(change), None
            self.fake.tick(2)
            for pg in self.fake.stats if reads else ():
                self.assertTrue(self.fake.disks[pg["acting_primary"]].spinning, f"{pg['pgid']} is read on a sleeper")
        return planned

    def asleep(self):
        return [osd for osd, disk in self.fake.disks.items() if not disk.spinning]

    def doze(self, gear=1):
        self.run_for(25, control.gear(gear))
        self.assertEqual(self.asleep(), list(range(9))[3 * gear:] if gear < 3 else [])


class Shifts(Case):
    def test_all(self):
        """Gears 3, 1, 2, 3, release: no reader meets a sleeper, and everything is as before."""
        self.doze(1)
        self.run_for(25, control.gear(2))
        self.assertEqual(len(self.asleep()), 3)
        self.run_for(25, control.gear(3))
        self.assertEqual(self.asleep(), [])
        self.run_for(3, control.hold("awake"))
        release(self.fake, self.controller.load_state()[0])
        self.assertEqual(self.fake.keys, {})
        self.assertEqual(self.kept(), self.first)

    def test_epochs(self):
        """A shift down makes the epochs of its affinities, and one for the commit; no step is done twice."""
        self.fake.log.clear()
        self.run_for(14, control.gear(2))
        done = [(c, a.get("name"), a.get("value")) for c, a in self.fake.log if not c.startswith("config-key")]
        self.assertEqual(done[0], ("config set", steps.GATE, "0"))
        self.assertEqual([c for c, _, _ in done[1:4]], ["osd primary-affinity"] * 3)
        self.assertEqual(done[-2], ("config set", steps.VALVE, "0"))
        self.assertEqual(done[-1][0], "osd primary-affinity", "the commit between the drain and the stop")
        self.assertEqual(len(done), 12)

    def test_one_epoch(self):
        """Right before affinities that go together the monitors commit the state, so they make one epoch."""
        sent, send = [], self.fake.mon

        def mon(prefix, *rest, **args):
            sent.append(args.get("key") or prefix)
            return send(prefix, *rest, **args)
        self.fake.mon = mon
        self.run_for(14, control.gear(2))
        self.run_for(14, control.gear(3))
        together = ["osd primary-affinity"] * 2
        first = [sent[at - 1] for at in range(1, len(sent)) if sent[at:at + 2] == together != sent[at - 1:at + 1]]
        self.assertEqual(first, [store.STATE] * 2)

    def test_drain(self):
        """Pending writes are drained at the limit: the disks turn before that, and sleep again after a commit."""
        self.doze(1)
        self.fake.write(self.options.drain_at + 1)
        self.run_for(15)
        self.assertEqual([self.fake.disks[osd].pending for osd in range(3, 9)], [0] * 6)
        self.assertEqual([self.fake.disks[osd].starts for osd in range(3, 9)], [1] * 6)
        self.assertEqual(len(self.asleep()), 6)

    def test_drained_first(self):
        """No valve is closed and no disk stops before the drain is confirmed on each OSD of the group."""
        self.fake.slow = set(range(9))
        self.fake.write(1 << 20)
        self.run_for(15, control.gear(1))
        self.assertEqual([d.options[steps.VALVE] for d in self.fake.disks.values()].count("1"), 3, "one group drains")
        self.assertEqual(self.asleep(), [])
        self.fake.slow = set()
        self.run_for(15)
        self.assertEqual(len(self.asleep()), 6)

    def test_no_flush_is_left(self):
        """Whenever the last write comes: a disk stops when its OSD has committed something after the drain."""
        for last in range(14):
            self.setUp()
            change = control.gear(1)
            for number in range(30):
                self.controller.step(change)
                change = None
                if number < last:
                    self.fake.write(1000)
                self.fake.tick(2)
                self.assertEqual([osd for osd in self.asleep() if self.fake.disks[osd].flush], [], last)
            self.assertEqual(len(self.asleep()), 6)

    def test_primaries_last(self):
        """A wake takes primaries again when it is drained: reads do not compete with the writes of a whole doze."""
        self.doze(1)
        self.fake.write(1 << 20)
        self.fake.slow = {4}
        self.run_for(8, control.gear(3))
        self.assertEqual(self.fake.osds[4]["primary_affinity"], 0)
        self.assertIsNotNone(self.fake.option("osd/pdu:gear1", "bluestore_throttle_cost_per_io"))
        self.fake.slow = set()
        self.run_for(8)
        self.assertEqual(self.kept(), self.first)

    def test_primaries_together(self):
        """Groups that wake take primaries at the same time, in one epoch, and none waits for ever."""
        for slow, rounds in ((True, 20), (False, 10)):
            self.setUp()
            self.doze(1)
            self.fake.write(1 << 20)
            self.fake.slow = {4}
            self.run_for(8, control.gear(3))
            self.assertEqual([self.fake.osds[osd]["primary_affinity"] for osd in range(3, 9)], [0] * 6)
            self.fake.slow = {4} if slow else set()
            self.fake.log.clear()
            self.run_for(rounds)
            self.assertEqual(self.kept(), self.first)
            kinds = [prefix for prefix, _ in self.fake.log if not prefix.startswith("config-key")]
            self.assertEqual("osd primary-affinity " * 6 in " ".join(kinds) + " ", True)

    def test_one_drains_at_a_time(self):
        self.doze(1)
        self.fake.write(self.options.drain_at + 1)
        turning = []
        for _ in range(15):
            self.run_for(1)
            turning.append({osd // 3 for osd in range(3, 9) if self.fake.disks[osd].spinning})
        self.assertEqual(max(map(len, turning)), 1, turning)

    def test_scrub(self):
        """A shift waits for scrubs, and none runs on a group that dozes."""
        self.fake.scrub("2.0")
        planned = self.run_for(20, control.gear(1))
        self.assertIn("waits for scrubs to end", planned.reasons[-1])
        self.assertEqual(self.asleep(), [])
        self.fake.scrubbed()
        self.run_for(20)
        self.assertEqual(len(self.asleep()), 6)
        self.fake.scrub("2.1")
        self.assertEqual(self.fake.scrubs, set())

    def test_gives_up(self):
        """A shift that does not get on (the scrub does not end) is undone."""
        self.fake.scrub("2.0")
        self.run_for(45, control.gear(1))
        self.assertTrue(any(c == "config rm" and a["name"] == steps.GATE for c, a in self.fake.log))

    def test_silence_wakes_nobody(self):
        """Agents that fall silent, or whose reports are damaged, are no reason to start a disk that sleeps."""
        self.doze(1)
        self.fake.mute = set(self.fake.host.values())
        for key in [key for key in self.fake.keys if key.startswith(store.SEEN)]:
            self.fake.keys[key] = "{"
        self.run_for(5)
        self.fake.mute = set()
        self.run_for(10)
        self.assertEqual([self.fake.disks[osd].starts for osd in range(3, 9)], [0] * 6)
        self.assertEqual(len(self.asleep()), 6)

    def test_agents_silent(self):
        """Without reports nothing dozes; what dozes wakes within `patience`, and its settings are restored."""
        self.doze(1)
        self.fake.mute = set(self.fake.host.values())
        self.run_for(30, control.gear(3), reads=False)
        self.assertEqual(self.kept(), self.first)
        planned = self.run_for(10, control.gear(1), reads=False)
        self.assertIn("would have fewer than 1 replicas awake", " ".join(planned.reasons))


class Dies(Case):
    def test_after_each_command(self):
        """The controller dies after each command of a shift down and up, another one goes on: all is as before.

        While none runs, no reader meets a sleeper, whatever was left.
        """
        dead_at, deaths = 0, 0
        while True:
            self.setUp()
            count = [dead_at]

            def dies(*_):
                if count[0] == 0:
                    count[0] = -1
                    raise Dead()
                count[0] -= 1
            self.fake.before = dies
            for change in (control.gear(2), control.gear(3)):
                for _ in range(18):
                    try:
                        self.controller.step(change)
                        change = None
                    except Dead:
                        self.start()
                    self.fake.tick(2)
                    for pg in self.fake.stats:
                        self.assertTrue(self.fake.disks[pg["acting_primary"]].spinning, dead_at)
            self.assertEqual(self.kept(), self.first, dead_at)
            if count[0] >= 0:
                break
            dead_at, deaths = dead_at + 1, deaths + 1
        self.assertGreater(deaths, 40)

    def test_for_good(self):
        """No controller comes back: leases end, so no agent stops another disk; writes and reads go on."""
        self.doze(1)
        self.fake.tick(self.options.lease + 1)
        for osd in (3, 8):
            self.fake.turn(osd)
        self.fake.tick(2)
        self.assertEqual(self.asleep(), [4, 5, 6, 7])


class Others(Case):
    """Ceph first, then the administrator, then parfleet."""

    def woken(self, reason, rounds=15):
        planned = self.run_for(rounds, reads=False)
        self.assertEqual(self.asleep(), [])
        self.assertEqual(planned.state.groups, {})
        self.assertIn(reason, " ".join(planned.reasons))

    def test_osd_down(self):
        self.doze(1)
        self.fake.fail(0)
        self.woken("OSDs are down: osd.0")
        self.fake.revive(0)
        self.fake.recover()
        self.run_for(25)
        self.assertEqual(len(self.asleep()), 6, "clean again")

    def test_recovering(self):
        self.doze(2)
        self.fake.lost["2.1"] = 1
        self.fake.remap()
        self.woken("1 PGs lack copies")

    def test_flag(self):
        """A global flag wakes all, and nothing dozes until it has been gone for a while. It is not touched."""
        self.doze(1)
        self.fake.set_flag("noout")
        self.woken("flags are set: noout")
        self.assertIn("noout", self.fake.dumps["osd dump"]["flags_set"])
        self.fake.unset_flag("noout")
        self.woken("the cluster was changed", 3)
        self.run_for(30)
        self.assertEqual(len(self.asleep()), 6)

    def test_versions(self):
        self.doze(1)
        self.fake.dumps["versions"]["osd"]["ceph version 19.2.0 (x) squid (stable)"] = 1
        self.woken("different versions: 18.2.7, 19.2.0")

    def test_pg_num(self):
        self.doze(1)
        self.fake.dumps["osd dump"]["pools"][1]["pg_num_target"] = 128
        self.woken("the number of PGs is changing: data")

    def test_crush(self):
        """An OSD leaves a group: all awake, with the settings of the old group restored."""
        self.doze(1)
        bucket = next(b for b in self.fake.dumps["osd crush dump"]["buckets"] if b["name"] == "gear2")
        bucket["items"] = bucket["items"][:2]
        self.woken("PGs do not have one replica in each group the cluster was changed", 20)
        self.assertEqual(self.kept(), self.first)

    def test_affinity(self):
        """The administrator gives an OSD that dozes primaries: its group wakes, and stays awake until resumed."""
        self.doze(1)
        self.fake.set_affinity(7, 1.0)      # also the value from before
        self.fake.log.clear()
        self.run_for(20, reads=False)
        self.assertNotIn(("osd primary-affinity", {"id": 7, "weight": 0.0}), self.fake.log)
        self.assertEqual(self.fake.osds[7]["primary_affinity"], 1.0)
        self.assertEqual({osd // 3 for osd in self.asleep()} - {0, 1}, set(), "gear2 is awake")
        self.assertEqual(self.controller.load_state()[0].left, ("gear2",))
        self.run_for(20, control.resume(), reads=False)
        self.assertEqual(self.controller.load_state()[0].left, ())
        self.fake.set_affinity(7, 0.5)
        self.run_for(15, control.hold("awake"), reads=False)
        self.assertEqual(self.fake.osds[7]["primary_affinity"], 0.5, "theirs")

    def test_option(self):
        """The administrator changes an option of ours: it is not written again, and the group wakes."""
        self.doze(1)
        self.fake.set_option("osd/pdu:gear1", steps.VALVE, "36000")
        self.run_for(20, reads=False)
        self.assertEqual(self.fake.option("osd/pdu:gear1", steps.VALVE)["value"], "36000.000000")
        self.assertIsNone(self.fake.option("osd/pdu:gear1", "bluestore_prefer_deferred_size"))
        self.assertNotIn("gear1", self.controller.load_state()[0].groups)

    def test_while_it_shifts(self):
        """An administrator's command at any time of a shift down is what is there at the end."""
        for at in range(14):
            for key in (4, ("osd/pdu:gear1", steps.GATE), ("osd/pdu:gear1", "bluestore_deferred_batch_ops")):
                self.setUp()
                self.run_for(at, control.gear(2), reads=False) if at else None
                if isinstance(key, int):
                    self.fake.set_affinity(key, 0.25)
                else:
                    self.fake.set_option(*key, "3")
                self.run_for(15, reads=False)
                self.run_for(20, control.hold("awake"), reads=False)
                state = self.controller.load_state()[0]
                self.assertEqual(state.groups, {}, (at, key))
                now = self.fake.osds[4]["primary_affinity"] if key == 4 else self.fake.option(*key)["value"]
                self.assertEqual(now, 0.25 if key == 4 else "3", (at, key))

    def test_own_values(self):
        """Values of the administrator from before are restored, also where they are those of a doze."""
        self.fake.set_option("osd/pdu:gear1", steps.GATE, "2")
        self.fake.set_affinity(8, 0.0)
        self.fake.set_affinity(5, 0.75)
        before = copy.deepcopy(self.kept())
        self.run_for(25, control.gear(1))
        self.assertEqual(len(self.asleep()), 6)
        self.run_for(20, control.gear(3))
        self.assertEqual(self.kept(), before)

    def test_single_setting(self):
        """An option that is set for one OSD wins over the mask of its group: the group does not doze."""
        self.fake.set_option("osd.4", steps.GATE, "3")
        planned = self.run_for(20, control.gear(1))
        self.assertEqual(self.asleep(), [6, 7, 8])
        self.assertIn("osd_max_scrubs is set for osd.4", " ".join(planned.reasons))

    def test_host_setting(self):
        """An option of a bucket within a group wins over the mask of the group, that of a bucket above does not."""
        self.fake.set_option("osd/root:default", steps.GATE, "3")
        self.fake.set_option("osd/host:h4", "bluestore_prefer_deferred_size", "0")
        planned = self.run_for(20, control.gear(1))
        self.assertEqual(self.asleep(), [6, 7, 8])
        self.assertIn("bluestore_prefer_deferred_size is set for osd/host:h4", " ".join(planned.reasons))

    def test_spilled(self):
        """An OSD whose block.db is full reads and writes RocksDB on its disk: its group does not doze."""
        self.fake.disks[4].spilled = 4096
        planned = self.run_for(25, control.gear(1))
        self.assertEqual(self.asleep(), [6, 7, 8])
        self.assertIn("spills over to the disk: osd.4", " ".join(planned.reasons))

    def test_foreign_agent(self):
        """What an agent says of an OSD of another host does not count."""
        self.doze(2)
        document = {"number": 1, "at": 0, "osds": json.loads(self.fake.keys["parfleet/seen/h1"])["osds"]}
        report = self.fake.report

        def lies():
            report()
            document["number"] += 1
            document["osds"] = {"6": {**document["osds"]["1"], "spinning": True}}
            self.fake.keys["parfleet/seen/x"] = json.dumps(document)
            document["osds"] = json.loads(self.fake.keys["parfleet/seen/h1"])["osds"]
        self.fake.report = lies
        self.run_for(3)
        self.assertIs(self.controller.seen.seen[6].spinning, False)

    def test_partial_affinity(self):
        """An awake OSD that refuses some PGs could leave them to one that dozes: there is no gear 1."""
        self.fake.set_affinity(0, 0.5)
        planned = self.run_for(25, control.gear(1))
        self.assertEqual(len(self.asleep()), 3)
        self.assertIn("would have fewer than 1 replicas awake", " ".join(planned.reasons))

    def on_its_way(self):
        """(OSDs of a group that is about to leave for gear 1, an OSD of the last group)"""
        self.doze(2)
        state, change = self.controller.load_state()[0], control.gear(1)
        dozing = set(state.groups)
        while set(state.groups) == dozing:
            state, change = self.controller.step(change).state, None
            self.fake.tick(2)
        osds = {group.name: group.osds for group in state.layout.groups}
        return osds[(set(state.groups) - dozing).pop()], osds[(set(osds) - set(state.groups)).pop()][0]

    def left(self):
        return [args["id"] for prefix, args in self.fake.log
                if prefix == "osd primary-affinity" and args["weight"] == 0]

    def test_before_the_step(self):
        """I1 is checked at the step that takes replicas away, not only when the shift begins."""
        _, last = self.on_its_way()
        self.fake.set_affinity(last, 0.5)
        self.fake.log.clear()
        self.run_for(10)
        self.assertEqual(self.left(), [])

    def test_after_the_plan(self):
        """And by a fresh map, after the plan was made."""
        leaving, last = self.on_its_way()

        def types(prefix, args):
            if args.get("key") == store.STATE and not self.fake.osds[last]["primary_affinity"] < 1:
                planned = store.load(args["val"])[0]
                if any(leaving[0] in group.values for group in planned.groups.values()):
                    self.fake.set_affinity(last, 0.5)
        self.fake.before = types
        self.fake.log.clear()
        self.run_for(10)
        self.assertEqual(self.fake.osds[last]["primary_affinity"], 0.5)
        self.assertEqual(self.left(), [])

    def test_full(self):
        self.fake.dumps["health"]["checks"]["OSD_NEARFULL"] = {}
        self.assertIn("space is short: OSD_NEARFULL", " ".join(self.run_for(10, control.gear(1)).reasons))
        self.assertEqual(self.asleep(), [])

    def test_times_of_scrubs(self):
        """The large dump that has them is asked for once an hour."""
        self.fake.full_dumps = 0
        for _ in range(70):
            self.controller.step()
            self.fake.tick(60)
        self.assertEqual(self.fake.full_dumps, 2)

    def test_scrubs_late(self):
        """A late deep scrub stops shifts down, an overdue one wakes all."""
        self.doze(1)
        self.fake.now += 11 * 86400
        planned = self.run_for(5, reads=False)
        self.assertEqual(planned.gear, 1)
        self.fake.now += 2 * 86400
        self.woken("65 PGs are overdue for a deep scrub", 20)

    def test_layout_is_gone(self):
        """PGs that no longer lie one in each group wake all."""
        self.doze(1)
        self.fake.crush["2.5"] = [0, 1, 8]
        self.fake.remap()
        self.woken("1 PGs do not have one replica in each group", 20)


    def test_snapshots(self):
        """Trimming snapshots neither wakes a group nor stops a shift; it may go on for days."""
        self.fake.stats[3]["state"] = "active+clean+snaptrim"
        self.fake.stats[4]["state"] = "active+clean+snaptrim_wait"
        self.fake.remap = lambda: None
        planned = self.controller.step()
        self.assertIsNotNone(planned.state.clean)

    def test_clock_set_back(self):
        """A wake that begins before the clock is set back by a day does not wait a day for silent agents."""
        self.doze(2)
        self.fake.mute = set(self.fake.host.values())
        self.run_for(2, control.gear(3), reads=False)
        self.controller.clock = lambda: self.fake.now - 86400
        self.run_for(15, reads=False)
        self.assertEqual(self.kept(), self.first)


class Store(Case):
    def test_other_controller(self):
        """Two controllers: the second waits for the first one's lease, and takes over."""
        self.doze(2)
        self.start("b")
        self.assertRaises(OtherOwner, self.controller.step)
        self.fake.tick(self.options.lease + 1)
        self.controller.step(control.gear(3))
        self.assertEqual(json.loads(self.fake.keys[store.STATE])["owner"], "b")

    def test_alive(self):
        """A controller that has nothing to do is alive for others all the same."""
        self.doze(2)
        other = Controller(self.fake, lambda: self.fake.now, self.options, "b")
        self.assertRaises(OtherOwner, other.step)
        for _ in range(60):
            self.run_for(1)
            self.assertRaises(OtherOwner, other.step)

    def test_beat(self):
        """The state is written at least every 300 s, whatever the lease is: the failsafe waits for 900 s."""
        self.options = dataclasses.replace(OPTIONS, lease=86400)
        self.start()
        self.doze(2)
        for _ in range(3):
            before = self.fake.keys[store.STATE]
            self.fake.tick(301)
            self.controller.step()
            self.assertNotEqual(self.fake.keys[store.STATE], before)

    def test_damaged(self):
        """A state that is not understood changes nothing, and says so in one line."""
        for text in ("", "{", "[]", '{"version":2}', '{"version":1}', "null"):
            self.fake.keys[store.STATE] = text
            self.fake.log.clear()
            with self.assertRaisesRegex(store.BadState, "^[^\n]+$"):
                self.controller.step()
            self.assertEqual(self.fake.log, [])

    def test_round(self):
        """Each state of a shift is stored and loaded without loss."""
        for change in (control.gear(1), control.gear(3)):
            for _ in range(25):
                planned = self.controller.step(change)
                change = None
                self.assertEqual(store.load(store.dump(planned.state, "a")), (planned.state, "a"))
                self.fake.tick(2)

    def test_release_refuses(self):
        """The state is not removed while it is needed."""
        self.doze(2)
        self.assertRaisesRegex(ValueError, "gear2", release, self.fake, self.controller.load_state()[0])
        self.assertIn(store.STATE, self.fake.keys)

    def test_clocks(self):
        """Agents' clocks do not matter (the fake's are 60 s late), nor does the controller's jump."""
        self.doze(1)
        for skew in (-60, 60, 3600):
            self.controller.clock = lambda skew=skew: self.fake.now + skew
            self.run_for(10)
            self.assertEqual(len(self.asleep()), 6)

    def test_size(self):
        """The state of 3,000 OSDs fits into a config-key."""
        self.doze(1)
        state = self.controller.load_state()[0]
        group = state.groups["gear2"]
        value = group.values[6]
        values = {**{osd: value for osd in range(1000, 3000)},
                  **{key: v for key, v in group.values.items() if isinstance(key, tuple)}}
        large = dataclasses.replace(state, groups={"gear2": dataclasses.replace(group, values=values)})
        layout = state.layout._replace(groups=tuple(
            g._replace(osds=tuple(range(n * 1000, n * 1000 + 1000))) for n, g in enumerate(state.layout.groups)))
        self.assertLess(len(store.dump(dataclasses.replace(large, layout=layout), "a")), store.MOST)

    def test_no_room(self):
        """The monitors have no room for the history: groups wake all the same."""
        self.doze(1)

        def full(_, args):
            if args.get("key") == store.HISTORY:
                raise MonError(28, "no space left")
        self.fake.before = full
        self.fake.now += 3600
        self.fake.fail(0)
        for _ in range(15):
            with self.assertRaisesRegex(MonError, "no space left"):
                self.controller.step()
            self.fake.tick(2)
        self.assertEqual(self.asleep(), [])

    def test_nonsense_history(self):
        """A history that is no numbers is learnt again."""
        for text in ('{"1": [NaN]}', json.dumps({"9": [float("inf")] * 24}), json.dumps({"9": [-1.0] * 24}), "[]"):
            self.fake.keys[store.HISTORY] = text
            self.assertEqual(self.controller.load_history().peaks, {}, text)

    def test_refused(self):
        """The monitors refuse a command: the error is passed on, and the next step tries it again."""
        def refuse(prefix, _):
            if prefix == "osd primary-affinity":
                raise MonError(13, "access denied")
        self.fake.before = refuse
        with self.assertRaisesRegex(MonError, "access denied"):
            self.run_for(15, control.gear(2))
        self.fake.before = lambda *_: None
        self.run_for(15)
        self.assertEqual(len(self.asleep()), 3)


if __name__ == "__main__":
    unittest.main()
