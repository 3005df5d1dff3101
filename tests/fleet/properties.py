# SPDX-License-Identifier: GPL-2.0
"""Random events, commands of an administrator, and crashes of the controller, on a fake cluster.

I1 to I5 are those of tools/parfleet/parfleet/core/plan.py. They are checked against the fake's own disks and maps, not
against what the planner believes.
"""
import collections
import json
import os
import pathlib
import unittest

import hypothesis
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule

from parfleet.core import observe, steps
from parfleet.core.model import Options
from parfleet.ctl import control, store
from parfleet.ctl.controller import Controller, release
from parfleet.sim.fake import Fake

DUMPS = pathlib.Path(__file__).parent / "dumps"
OPTIONS = Options(settle=4, hysteresis=6, ahead=0, surge=4, frozen=20, silence=10, give_up=120, lease=60, patience=20)
GROUPS = {"gear0": (0, 1, 2), "gear1": (3, 4, 5), "gear2": (6, 7, 8)}
OSDS = st.integers(0, 8)
MASKS = st.sampled_from([f"osd/pdu:{name}" for name in GROUPS])


SEEN = collections.Counter()


class Crash(Exception):
    """The controller dies."""


class Cluster(RuleBasedStateMachine):
    """The rules are what may happen; the invariants have to hold after each."""

    @initialize(release_=st.sampled_from(["16.2.15", "18.2.7"]), g_min=st.sampled_from([1, 1, 2]),
                gear=st.sampled_from([1, 1, 2]), rounds=st.sampled_from([30, 20, 25, 15, 10, 5]))
    def begin(self, release_, g_min, gear, rounds):
        """A cluster somewhere on its way down, or there."""
        self.fake = Fake(json.loads((DUMPS / f"{release_}.json").read_text()))
        self.options = Options(**{**OPTIONS.__dict__, "g_min": g_min})
        self.expected = self.settings()     # what the administrator left
        self.skew, self.left, self.turning = 0.0, None, {}
        self.fake.before = self.check_act
        self.start()
        self.asks_for(gear)
        self.runs(rounds, 1)
        SEEN[f"{sum(not disk.spinning for disk in self.fake.disks.values())} asleep"] += 1

    # what happens

    def start(self):
        self.controller = Controller(self.fake, lambda: self.fake.now + self.skew, self.options, "a")

    @rule()
    def step(self):
        self.act(self.controller.step)

    def act(self, call):
        """Let the controller do something; it may die before one of its commands, and another one is started."""
        self.acting = True
        try:
            call()
        except Crash:
            SEEN["crashed"] += 1
            self.left = None
            self.start()
        self.acting = False

    @rule(gear=st.sampled_from([None, 1, 2, 3]), dies_at=st.integers(0, 30))
    def dies(self, gear, dies_at):
        """The controller dies within the next commands, after a new wish or in what it does anyway."""
        self.left = dies_at
        if gear is not None:
            self.asks_for(gear)
        self.runs(12, 2)
        self.left = None

    @rule(rounds=st.integers(1, 15), seconds=st.integers(1, 3))
    def runs(self, rounds, seconds):
        for _ in range(rounds):
            self.step()
            self.fake.tick(seconds)
            self.disks_stop()
            self.reads()

    @rule(rounds=st.integers(10, 40))
    def mends(self, rounds):
        """All is well again for a while."""
        self.skew = 0.0
        self.fake.mute.clear()
        self.fake.unset_flag("noout")
        for osd in self.fake.osds:
            if not self.fake.osds[osd]["up"]:
                self.fake.revive(osd)
        self.fake.recover()
        self.fake.scrubbed()
        self.runs(rounds, 2)

    @rule(event=st.one_of(
        st.tuples(st.just("skew"), st.sampled_from([-60.0, 0.0, 60.0])),
        st.tuples(st.sampled_from(["fail", "revive", "mute"]), OSDS),
        st.tuples(st.just("recover"), st.none()),
        st.tuples(st.just("scrub"), st.integers(0, 64)),
        st.tuples(st.just("write"), st.sampled_from([1000, 1 << 20, 100 << 20])),
        st.tuples(st.sampled_from(["seen/h1", "seen/h7", "want/h4", "history"]), st.sampled_from(
            ["", "{", "[]", "null", '{"osds":{"1":null}}', '{"number":9,"osds":{"7":{"spinning":3}}}']))))
    def happens(self, event):
        what, value = event
        if what == "skew":
            self.skew = value
        elif what == "mute":
            self.fake.mute.add(self.fake.host[value])
        elif "/" in what or what == "history":
            self.fake.keys[store.PREFIX + what] = value
        elif what == "scrub":
            self.fake.scrub(sorted(self.fake.crush)[value])
        else:
            getattr(self.fake, what)(*([] if value is None else [value]))

    # the administrator

    @rule(gear=st.sampled_from([None, 1, 2, 3, 1, 2, 1]))
    def asks_for(self, gear):
        self.gear = gear
        self.act(lambda: self.controller.step(control.gear(gear)))

    @rule(hold=st.sampled_from([None, "awake", "freeze", None]))
    def holds(self, hold):
        self.act(lambda: self.controller.step(control.hold(hold) if hold else control.resume()))

    @rule(osd=OSDS, seconds=st.integers(1, 40))
    def probes(self, osd, seconds):
        wish = control.Wish(gear=self.gear, probe=(osd, float(seconds), self.fake.now + self.skew))
        self.act(lambda: self.controller.step(control.applied(wish)))

    @rule(change=st.one_of(
        st.tuples(OSDS, st.sampled_from([0.5, 1.0])),
        st.tuples(st.tuples(MASKS, st.sampled_from([steps.GATE, steps.VALVE, "bluestore_deferred_batch_ops"])),
                  st.sampled_from(["7", "9"])),
        st.tuples(st.none(), st.booleans())))
    def types(self, change):
        key, value = change
        if key is None:
            self.fake.set_flag("noout") if value else self.fake.unset_flag("noout")
            return
        if isinstance(key, int):
            self.fake.set_affinity(key, value)
        else:
            self.fake.set_option(*key, value)
        self.expected[key] = value
        SEEN["changed by the administrator"] += 1

    # what has to hold

    def settings(self):
        found = {osd: o["primary_affinity"] for osd, o in self.fake.osds.items()}
        found.update(observe.options(self.fake.dumps["config dump"]))
        return found

    def awake(self, pg, without=None):
        return sum(1 for osd in pg["acting"] if osd != without and self.fake.disks[osd].spinning
                   and self.fake.osds[osd]["in"] and self.fake.osds[osd]["primary_affinity"] > 0)

    def check_act(self, prefix, args):
        """Before each command of the controller: I5, I1, and its death."""
        if not self.acting:
            return
        if self.left is not None:
            if self.left == 0:
                raise Crash()
            self.left -= 1
        if prefix == "osd primary-affinity":
            osd = args["id"]
            if args["weight"] == 0 and self.fake.osds[osd]["primary_affinity"] > 0:
                for pg in self.fake.stats:
                    if osd in pg["acting"]:
                        assert self.awake(pg, osd) >= self.options.g_min, f"I1: {pg} without osd.{osd}"
        elif prefix in ("config set", "config rm"):
            assert args["name"] in steps.NAMES and (
                args["who"] in [f"osd/pdu:{n}" for n in GROUPS] or args["who"][4:].isdigit()), f"I5: {args}"
            # With a large number BlueStore's next check is so far ahead that no smaller one is noticed.
            assert args["name"] != steps.VALVE or args.get("value") in (None, "0", "1", self.expected.get(
                (args["who"], steps.VALVE))), f"the valve: {args}"
        else:
            assert prefix in ("config-key set", "config-key rm"), f"I5: {prefix}"
            assert args["key"].startswith(store.PREFIX), f"I5: {args}"

    def disks_stop(self):
        """A disk stops only if nobody reads it, its log is closed, and it was drained."""
        for osd, disk in self.fake.disks.items():
            if self.turning.get(osd, True) and not disk.spinning:
                assert self.fake.osds[osd]["primary_affinity"] == 0 or self.was_changed(osd), f"osd.{osd} is read"
                assert disk.options[steps.VALVE] == "0" or self.was_changed(osd), f"osd.{osd} writes its log"
                assert not disk.flush or self.was_changed(osd), f"osd.{osd} has a flush left for the next commit"
            self.turning[osd] = disk.spinning

    def was_changed(self, osd):
        """Has the administrator just changed something of the OSD's group? Its lease ends with the next step."""
        who = next(f"osd/pdu:{name}" for name, osds in GROUPS.items() if osd in osds)
        return self.expected[osd] != 0 or any((who, name) in self.expected for name in steps.NAMES)

    def reads(self):
        """Clients read each PG: this starts a disk only if no OSD of the PG is up that takes each primary."""
        for pg in self.fake.stats:
            first = pg["acting_primary"]
            if first >= 0 and not self.fake.disks[first].spinning:
                takers = [osd for osd in pg["acting"] if self.fake.osds[osd]["primary_affinity"] == 1]
                assert not takers or first in takers, f"{pg['pgid']} is read on osd.{first}, which sleeps"
                self.fake.turn(first)

    @invariant()
    def one_on_its_way_down(self):
        state = store.load(self.fake.keys[store.STATE])[0] if hasattr(self, "fake") and store.STATE in \
            self.fake.keys else None
        if state:
            down = [n for n, group in state.groups.items() if group.want == "doze" and group.valve is None]
            assert len(down) <= 1, f"I3: {down}"

    @invariant()
    def counts(self):
        """What the runs have reached: see Reached."""
        if hasattr(self, "fake") and any(not disk.spinning for disk in self.fake.disks.values()):
            SEEN["a state with sleepers"] += 1

    def teardown(self):
        """I4, and the end: whatever has happened, all is given back, and the administrator's settings stand."""
        if not hasattr(self, "fake"):
            return
        self.fake.before = lambda *_: None
        for _ in range(60):
            if not self.controller.step(control.hold("awake")).state.groups:
                break
            self.fake.tick(3)
        state = store.load(self.fake.keys[store.STATE])[0]
        assert not state.groups, f"I4: {state.groups}"
        release(self.fake, state)
        assert self.fake.keys == {}, f"left: {self.fake.keys.keys()}"
        assert self.settings() == self.expected, f"{self.settings()} instead of {self.expected}"


RUNS = 2000 if os.environ.get("RAIDPAR_WHOLE") else 40
AllHold = Cluster.TestCase
AllHold.settings = hypothesis.settings(
    max_examples=RUNS, stateful_step_count=40, deadline=None, derandomize=not os.environ.get("RAIDPAR_WHOLE"),
    database=None, suppress_health_check=list(hypothesis.HealthCheck))


class Reached(unittest.TestCase):
    """The runs above have reached what they are about. (unittest runs classes by name; this is after AllHold.)"""

    def test_reached(self):
        for what, least in (("3 asleep", 5), ("6 asleep", 3), ("0 asleep", 5), ("a state with sleepers", 200),
                            ("crashed", 20), ("changed by the administrator", 50)):
            self.assertGreaterEqual(SEEN[what], least, f"{what}: {SEEN}")


if __name__ == "__main__":
    unittest.main()
