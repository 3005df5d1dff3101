# SPDX-License-Identifier: GPL-2.0
"""parfleet's commands, configuration and daemon on a fake cluster; the agent and the failsafe on fakes, too."""
import contextlib
import copy
import io
import json
import os
import pathlib
import re
import socket
import subprocess
import sys
import tempfile
import threading
import unittest

from parfleet import agent, failsafe
from parfleet.core import observe
from parfleet.ctl import cli, control, daemon, settings, store
from parfleet.ctl.controller import Controller, MonError
from parfleet.sim.fake import Fake

DUMPS = pathlib.Path(__file__).parent / "dumps"
CONFIG = "[parfleet]\nmode = {}\nsettle = 4\nhysteresis = 1\nfrozen = 20\nsilence = 10\nlease = 60\npatience = 20\n"


class Case(unittest.TestCase):
    def setUp(self):
        self.dir = tempfile.TemporaryDirectory()
        self.addCleanup(self.dir.cleanup)
        self.fake = Fake(json.loads((DUMPS / "18.2.7.json").read_text()))
        for osd in self.fake.dumps["osd metadata"]:
            osd["bluefs_db_rotational"] = "0"
        self.config("advise")

    def config(self, mode, more=""):
        self.path = os.path.join(self.dir.name, "conf")
        pathlib.Path(self.path).write_text(CONFIG.format(mode) + more)

    def run_(self, *args):
        """(exit code, output, errors) of a command. Its waits let the fake's time pass."""
        out, err = io.StringIO(), io.StringIO()
        with contextlib.redirect_stderr(err), contextlib.redirect_stdout(out):
            try:
                code = cli.main(["--config", self.path, *args], mons=self.fake, clock=lambda: self.fake.now,
                                sleep=self.fake.tick, out=out)
            except SystemExit as end:
                code = end.code
        return code, out.getvalue(), err.getvalue()

    def ok(self, *args):
        code, out, err = self.run_(*args)
        self.assertEqual((code, err), (0, ""), out)
        return out

    def document(self, *args):
        return json.loads(self.ok("--json", *args))

    def daemon(self, rounds):
        """The daemon takes some turns; what it said last."""
        if not hasattr(self, "context") or self.context.config.mode != settings.load(self.path).mode:
            self.context = cli.Context(self.fake, settings.load(self.path), lambda: self.fake.now)
        for _ in range(rounds):
            said = daemon.turn(self.context)
            self.fake.tick(2)
        return said

    def asleep(self):
        return sum(not disk.spinning for disk in self.fake.disks.values())


class Commands(Case):
    def test_by_hand(self):
        """gear 1, status, hold, resume, gear 3, release: what a user does in the mode advise."""
        self.daemon(5)
        self.ok("gear", "1")
        self.daemon(25)
        self.assertEqual(self.asleep(), 6)
        status = self.document("status")
        self.assertEqual((status["gear"], status["wanted"], status["controller"]), (1, 1, socket.gethostname()))
        self.assertEqual(sorted(g["state"] for g in status["groups"]), ["awake", "dozes", "dozes"])
        self.assertIn("3 of 3 disks stopped", self.ok("status"))
        self.assertIn("gear 1 asked for", self.ok("explain"))
        self.ok("hold")
        self.daemon(15)
        self.assertEqual(self.asleep(), 0)
        self.ok("resume")
        self.daemon(25)
        self.assertEqual(self.asleep(), 6)
        self.assertIn("given back", self.ok("release", "--all"), "without a daemon that does it")
        self.assertEqual(self.asleep(), 0)
        self.assertEqual([key for key in self.fake.keys if not key.startswith(store.SEEN)], [])

    def test_observe(self):
        """The default changes nothing but the history of the load, and says so."""
        self.config("observe")
        self.fake.log.clear()
        self.assertIn("observes", self.daemon(5))
        self.assertEqual({args["key"] for _, args in self.fake.log}, {store.HISTORY})
        code, _, err = self.run_("gear", "1")
        self.assertEqual((code, err.count("\n")), (cli.REFUSED, 1))
        self.assertIn("set mode = advise", err)

    def test_back_to_observe(self):
        """A daemon whose mode was set back gives everything back first."""
        self.ok("gear", "1")
        self.daemon(25)
        self.config("observe")
        self.daemon(20)
        self.assertEqual(self.asleep(), 0)
        self.assertFalse(any(o["name"].startswith("bluestore") for o in self.fake.dumps["config dump"]))

    def test_modes(self):
        """advise never shifts by itself, auto does."""
        peaks = {str(int(self.fake.now // 86400) - n): [1.0] * 24 for n in range(1, 9)}
        self.fake.keys[store.HISTORY] = json.dumps(peaks)
        self.assertIn("only the mode auto", self.daemon(20))
        self.assertEqual(self.asleep(), 0)
        self.assertEqual(self.run_("gear", "auto")[0], cli.REFUSED)
        self.config("auto")
        self.daemon(25)
        self.assertEqual(self.asleep(), 6)
        self.ok("gear", "auto")
        self.assertEqual([hour["gear"] for hour in self.document("schedule")["hours"]], [1] * 24)
        self.assertGreater(self.document("plan")["saved_watts"], 25.1)
        self.assertIn("1.0", self.ok("history", "--days", "2"))

    def test_doctor(self):
        """doctor names what is in the way, and fails while something is."""
        self.assertIn("an agent reports each OSD", self.ok("doctor"))
        self.assertIn("ceph device monitoring off", self.ok("doctor"))
        self.fake.dumps["config dump"].append({"section": "mgr", "mask": "", "value": "false",
                                               "name": "mgr/devicehealth/enable_monitoring"})
        self.assertNotIn("ceph device", self.ok("doctor"))
        reports = json.loads(self.fake.keys["parfleet/seen/h3"])
        reports["osds"]["3"]["requests"] = None
        self.fake.keys["parfleet/seen/h3"] = json.dumps(reports)
        code, out, _ = self.run_("doctor")
        self.assertEqual(code, cli.PROBLEM)
        self.assertIn("the agent finds no disk, so it cannot stop one: osd.3\n", out)
        for osd in self.fake.dumps["osd metadata"][:2]:
            osd["bluefs_db_rotational"] = "1"
        self.fake.dumps["osd metadata"][4]["bluefs_dedicated_db"] = "0"
        self.fake.set_option("osd.5", "osd_max_scrubs", "2")
        self.fake.set_affinity(2, 0.5)
        del self.fake.keys["parfleet/seen/h6"]
        out = self.run_("doctor")[1]
        reports = json.loads(self.fake.keys["parfleet/seen/h8"])
        reports["osds"]["8"]["spinning"] = None
        self.fake.keys["parfleet/seen/h8"] = json.dumps(reports)
        out = self.run_("doctor")[1]
        self.assertIn("(runtime PM), so nothing can stop it: osd.8", out)
        for text in ("block.db on a rotating disk: osd.0 osd.1", "no block.db: each write goes to the disk: osd.4",
                     "osd_max_scrubs is set for osd.5", "osd.2 count as asleep", "no report of an agent: osd.6"):
            self.assertIn(text, out)
        for osd, report in ((1, {"requests": 1, "spilled": 4096, "unaligned": 11}), (2, {"db_free": 400 << 20}),
                            (8, {"db_free": 40 << 30, "rate": 20e6}), (7, {"db_free": 40 << 30, "rate": 1e6})):
            reports = json.loads(self.fake.keys[f"parfleet/seen/h{osd}"])
            reports["osds"][str(osd)].update(report)
            self.fake.keys[f"parfleet/seen/h{osd}"] = json.dumps(reports)
        out = self.run_("doctor")[1]
        self.assertIn(f"need at most {100 << 20}: osd.2\n", out)
        self.assertIn("writes need 1525 MiB: give block.db more space, or OSDs more memory: osd.8\n", out)
        self.assertNotIn("osd.7", out)
        self.assertIn("spills over to the disk: osd.1", out)
        self.assertIn("not aligned to 4 KiB", out)

    def probe(self, *args, write=None):
        """`parfleet probe` while the daemon runs."""
        def sleep(_):
            self.daemon(1)
            write and self.fake.write(write)
            self.slept.append([d.spinning for d in self.fake.disks.values()])
        self.slept, out, err = [], io.StringIO(), io.StringIO()
        with contextlib.redirect_stderr(err):
            code = cli.main(["--config", self.path, "probe", *args], mons=self.fake, clock=lambda: self.fake.now,
                            sleep=sleep, out=out)
        return code, out.getvalue() + err.getvalue()

    def test_probe(self):
        """One OSD dozes with its disk turning, its requests are counted, and everything is as before."""
        first = copy.deepcopy(self.fake.dumps["config dump"])
        self.daemon(5)
        self.assertEqual(self.probe("4", "--seconds", "60", write=1000),
                         (0, "osd.4 dozed for 60 s: 0 requests to its disk, 0 overwrites were not aligned\n"))
        self.assertTrue(all(map(all, self.slept)), "no disk was stopped")
        self.assertIn(("config set", {"who": "osd.4", "name": "bluestore_max_defer_interval", "value": "0"}),
                      self.fake.log)
        self.daemon(15)
        self.assertEqual(self.fake.dumps["config dump"], first)
        self.assertEqual(self.fake.osds[4]["primary_affinity"], 1)
        self.ok("gear", "1")
        self.daemon(25)
        code, out = self.probe("osd.5", "--seconds", "20")
        self.assertEqual((code, self.slept[-1]), (0, [True] * 9), "all groups are awake for it")
        self.daemon(40)
        self.assertEqual(self.asleep(), 6, "and doze again afterwards")

    def test_probe_wakes(self):
        """Requests are reported, and too much to write ends a probe."""
        self.daemon(5)
        real = self.fake.report

        def report():
            self.fake.disks[4].requests += 1
            real()
        self.fake.report = report
        code, out = self.probe("4", "--seconds", "20")
        self.assertEqual(code, cli.PROBLEM)
        self.assertRegex(out, "osd.4 dozed for 20 s: [1-9]")
        self.daemon(10)
        code, out = self.probe("4", "--seconds", "200", write=30 << 20)
        self.assertEqual(code, cli.PROBLEM)

    def test_probe_refused(self):
        """Wrong arguments, no controller, a hold, a failure: no probe."""
        self.assertEqual(self.probe("99")[0], cli.USAGE)
        self.assertEqual(self.probe("x")[0], cli.USAGE)
        self.assertEqual(self.run_("probe", "4", "--seconds", "9", "--timeout", "9")[0], cli.BEGUN)
        self.fake.fail(0)
        code, out = self.probe("4", "--seconds", "20")
        self.assertEqual((code, "was not probed" in out), (cli.REFUSED, True))
        self.fake.revive(0)
        self.fake.recover()
        self.ok("hold")
        self.assertEqual(self.probe("4")[0], cli.REFUSED)
        self.config("observe")
        self.assertEqual(self.probe("4")[0], cli.REFUSED)

    def test_release_ends_a_probe(self):
        self.daemon(5)
        self.ok("resume")
        self.context.ask(probe=[4, 600.0, self.fake.now])
        self.daemon(25)
        self.assertEqual(self.fake.osds[4]["primary_affinity"], 0)
        self.ok("release", "--all")
        self.assertEqual(self.fake.osds[4]["primary_affinity"], 1)

    def test_layout(self):
        self.assertIn("nothing has to be moved", self.ok("layout"))
        self.fake.dumps["osd dump"]["pools"][0]["crush_rule"] = 0
        code, out, _ = self.run_("layout")
        self.assertEqual(code, cli.PROBLEM)
        self.assertIn("ceph osd pool set .mgr crush_rule gears", out)
        self.fake.bucket("gear2")["name"] = "shelf"
        code, _, err = self.run_("layout")
        self.assertEqual(code, cli.REFUSED)
        self.assertIn("the bucket type pdu is in use", err)
        self.assertIn("the bucket gear0 exists, and is no rack", self.run_("layout", "--type", "rack")[2])

    def test_layout_apply(self):
        """`layout apply` takes one step at a time, goes on after a failure, and moves nothing before the last one."""
        crush = self.fake.dumps["osd crush dump"]
        hosts = [b for b in crush["buckets"] if b["type_name"] == "host"]
        crush["buckets"] = [b for b in crush["buckets"] if b["type_name"] != "pdu"]
        self.fake.bucket("default")["items"] = [{"id": host["id"]} for host in hosts]
        for rule in crush["rules"]:
            rule["steps"][1]["type"], rule["rule_name"] = "host", rule["rule_name"] + "-old"
        code, out, _ = self.run_("layout")
        self.assertEqual(code, cli.PROBLEM)
        self.assertEqual(re.findall("moves (nothing|up)", out), ["nothing", "nothing", "up"])
        self.fake.log.clear()
        self.fake.fail(3)
        self.assertEqual(self.run_("layout", "apply")[0], cli.REFUSED)
        self.assertEqual(self.fake.log, [])
        self.fake.revive(3)
        self.fake.recover()
        count = [6]

        def breaks(prefix, _):
            count[0] -= 1
            if count[0] == 0:
                raise MonError(13, "access denied")
        self.assertEqual(self.run_("layout", "apply")[0], cli.PROBLEM, "there is more to do")
        self.fake.before = breaks
        code, _, err = self.run_("layout", "apply")
        self.assertEqual((code, "client.admin" in err), (cli.DENIED, True))
        self.fake.before = lambda *_: None
        self.assertEqual(self.run_("layout", "apply")[0], cli.PROBLEM)
        moved = [args["name"] for prefix, args in self.fake.log if prefix == "osd crush move"]
        self.assertEqual(sorted({*moved}), sorted(host["name"] for host in hosts))
        self.assertIn("norebalance", self.fake.dumps["osd dump"]["flags_set"])
        self.assertIn("ceph osd unset norebalance", self.run_("layout")[1])
        self.assertIn("Ceph moves data now", self.ok("layout", "apply"))
        self.assertIn("Data moves: wait", self.run_("layout")[1])
        for pg, osds in self.fake.crush.items():
            self.fake.crush[pg] = [osd % 3 * 3 + osd // 3 for osd in osds]
        self.fake.remap()
        self.assertIn("nothing has to be moved", self.ok("layout"))
        self.ok("layout", "apply")

    def test_wrong(self):
        """Each error is one line and has its exit code; nothing is changed."""
        self.fake.log.clear()
        for args, code in ((["gear", "0"], 2), (["gear", "4"], 2), (["gear", "x"], 2), (["gear"], 2),
                           (["hold", "x"], 2), (["release"], 2), (["what"], 2), ([], 2),
                           (["--config", "/nonexistent", "status"], 2)):
            got, _, err = self.run_(*args)
            self.assertEqual(got, code, args)
            self.assertTrue(err)
        self.assertEqual(self.fake.log, [])
        for key, text in ((store.STATE, "{"), (control.KEY, "[1]"), (control.KEY, '{"gear":0}')):
            self.fake.keys = {key: text}
            code, _, err = self.run_("explain")
            self.assertEqual((code, err.count("\n")), (cli.DAMAGED, 1), text)

        def refuse(*_, **__):
            raise MonError(13, "access denied")
        self.fake.keys, self.fake.before = {}, refuse
        self.assertEqual(self.run_("hold")[0], cli.DENIED)
        self.fake.mon = refuse
        self.assertEqual(self.run_("status")[0], cli.DENIED)

    def test_damaged_wish(self):
        """A wish that is damaged while groups doze wakes them: nobody can tell what was wanted."""
        for text in ("{", '{"gear":0}', '{"probe":[4,NaN,1]}', '{"resumed":Infinity}'):
            self.ok("gear", "1")
            self.daemon(25)
            self.assertEqual(self.asleep(), 6)
            self.fake.keys[control.KEY] = text
            self.assertIn("parfleet/wish is damaged", self.daemon(15))
            self.assertEqual(self.asleep(), 0, text)
            del self.fake.keys[control.KEY]

    def test_foreign_output(self):
        """Output of a Ceph that is not understood: nothing is planned."""
        self.fake.dumps["osd dump"] = {"epoch": 1}
        self.assertEqual(self.run_("status")[0], cli.DAMAGED)
        self.assertIn("not understood", self.daemon(1))

    def test_metrics(self):
        path = os.path.join(self.dir.name, "parfleet.prom")
        self.config("advise", f"metrics = {path}\n")
        self.ok("gear", "2")
        self.daemon(20)
        text = pathlib.Path(path).read_text()
        self.assertIn("parfleet_gear 2\n", text)
        self.assertEqual(text.count("} 1\n"), 1, "one group dozes")
        names = [line.split()[2] for line in text.splitlines() if line.startswith("# TYPE")]
        rules = (DUMPS.parent.parent.parent / "tools/parfleet/prometheus/rules.yml").read_text()
        panels = (DUMPS.parent.parent.parent / "tools/parfleet/prometheus/dashboard.json").read_text()
        used = set(re.findall(r"parfleet_\w+", rules + panels))
        self.assertTrue(used)
        self.assertLessEqual(used, set(names), "rules and dashboard use metrics that there are")
        json.loads(panels)

    def test_metrics_without_room(self):
        """Metrics that cannot be written (a full disk) are reported, and nothing else suffers."""
        self.config("advise", "metrics = /dev/full/x\n")
        self.ok("gear", "1")
        self.assertIn("/dev/full", self.daemon(25))
        self.assertEqual(self.asleep(), 6)

    def test_one_daemon(self):
        """A second daemon on a host is refused; one that was killed leaves nothing in the way."""
        with socket.socket(socket.AF_UNIX) as lock:
            lock.bind(daemon.LOCK)
            code, _, err = self.run_("daemon")
            self.assertEqual((code, err.count("\n")), (cli.REFUSED, 1))
        script = f"import os, socket; socket.socket(socket.AF_UNIX).bind({daemon.LOCK!r}); os.kill(os.getpid(), 9)"
        subprocess.run([sys.executable, "-c", script], check=False)
        with socket.socket(socket.AF_UNIX) as lock:
            lock.bind(daemon.LOCK)

    def test_restart(self):
        """A controller that is started again on its host goes on at once: nobody's lease is waited for."""
        self.ok("gear", "1")
        self.daemon(12)
        del self.context
        self.daemon(1)
        before = self.context.controller
        del self.context
        self.daemon(14)
        self.assertIsNot(before, self.context.controller)
        self.assertEqual(self.asleep(), 6)

    def test_settings(self):
        for text, words in (("[parfleet]\nmode = fast\n", "mode = fast: need observe, advise, auto"),
                            ("[parfleet]\nx = 1\n", "has no x"), ("[parfleet]\ng_min = 1.5\n", "whole number"),
                            ("[parfleet]\nlease = -1\n", "above 0"), ("[speed]\nreads = nan\n", "above 0"),
                            ("[price]\nkwh = a\n", "kwh = a"), ("[other]\n", "no section [other]"),
                            ("mode = auto\n", "no section headers"),
                            ("[parfleet]\nmode = auto\nmode = auto\n", "mode")):
            pathlib.Path(self.path).write_text(text)
            code, _, err = self.run_("status")
            self.assertEqual((code, err.count("\n")), (2, 1), text)
            self.assertIn(words, err)
        pathlib.Path(self.path).write_text("[speed]\nreads = 100\n[price]\nkwh = 0.4\n[parfleet]\ng_min = 2\n")
        loaded = settings.load(self.path)
        self.assertEqual((loaded.speed.reads, loaded.price.kwh, loaded.options.g_min, loaded.mode),
                         (100, 0.4, 2, "observe"))


class Failsafe(Case):
    def send(self, command, _, timeout):
        args = json.loads(command)
        del args["format"]
        try:
            out = self.fake.mon(args.pop("prefix"), **args)
            return 0, (out if isinstance(out, str) else json.dumps(out)).encode(), ""
        except MonError as error:
            return -error.code, b"", str(error)

    def check(self, alive=False):
        def sleep(seconds):
            self.fake.tick(seconds)
            if alive:
                self.daemon(1)
        slept, failsafe.time.sleep = failsafe.time.sleep, sleep
        try:
            return failsafe.check(self.send, 100, 15, sleep)
        finally:
            failsafe.time.sleep = slept

    def test_restores(self):
        """A dead controller, at any moment of its way to gear 1 and back: all is as before, and it may come again."""
        first = None
        for rounds in range(1, 34):
            self.setUp()
            self.__dict__.pop("context", None)
            settings_ = copy.deepcopy([self.fake.dumps["config dump"], [
                o["primary_affinity"] for o in self.fake.dumps["osd dump"]["osds"]]])
            first = first or settings_
            self.ok("gear", "1")
            self.daemon(min(rounds, 25))
            held = [osd for osd, known in self.fake.osds.items() if known["primary_affinity"] == 0]
            theirs = held[0] if held else 1
            self.fake.set_affinity(theirs, 0.25)
            self.assertIn(self.check(), ("restored", "unused"))
            self.assertEqual(self.fake.dumps["config dump"], first[0], rounds)
            self.assertEqual({osd: known["primary_affinity"] for osd, known in self.fake.osds.items()},
                             {**dict.fromkeys(range(9), 1.0), theirs: 0.25}, rounds)
            self.assertEqual(self.check(), "unused")
            self.fake.set_affinity(theirs, 1.0)
        self.context.controller.clock = lambda: self.fake.now
        self.fake.tick(100)
        self.daemon(60)
        self.assertEqual(self.asleep(), 6, "a new life")

    def test_alive(self):
        """While a controller lives, nothing is given back, however little it does."""
        self.ok("gear", "1")
        self.daemon(25)
        self.assertEqual(self.check(alive=True), "alive")
        self.assertEqual(self.asleep(), 6)

    def test_damaged(self):
        self.fake.keys[store.STATE] = "{"
        self.assertRaises(ValueError, self.check)


class OneSocket(threading.Thread):
    """An OSD's admin socket."""

    def __init__(self, path, answers):
        super().__init__(daemon=True)
        self.answers, self.sock = answers, socket.socket(socket.AF_UNIX)
        self.sock.bind(path)
        self.sock.listen()
        self.start()

    def run(self):
        while True:
            peer, _ = self.sock.accept()
            with peer:
                command = b""
                while not command.endswith(b"\0"):
                    command += peer.recv(4096)
                command = json.loads(command[:-1])
                answer = self.answers[command["prefix"]]
                text = json.dumps({command["var"]: answer[command["var"]]} if "var" in command else answer).encode()
                peer.sendall(len(text).to_bytes(4, "big") + text)


class FakeDisks:
    def __init__(self):
        self.count, self.turns, self.done, self.stuck = 100, True, [], False

    def requests(self, osd):
        return self.count

    def spinning(self, osd):
        return self.turns

    def stop(self, osd):
        self.turns = self.stuck
        self.done.append("stop")

    def stay(self, osd):
        self.done.append("stay")

    def start(self, osd):
        if not self.turns:
            self.done.append("start")
        self.turns = True


class Agent(unittest.TestCase):
    def setUp(self):
        self.dir = tempfile.TemporaryDirectory()
        self.addCleanup(self.dir.cleanup)
        self.answers = {
            "perf dump": {"osd": {"op_w_in_bytes": 5, "subop_w_in_bytes": 6}, "bluefs": {
                "slow_used_bytes": 0, "db_total_bytes": 90, "db_used_bytes": 30},
                          "bluestore": {"write_penalty_read_ops": 3},
                          "throttle-bluestore_throttle_deferred_bytes": {"val": 70}},
            "status": {"newest_map": 9},
            "config get": {"osd_max_scrubs": "0", "bluestore_max_defer_interval": "0.000000"}}
        OneSocket(self.dir.name + "/osd.4.asok", self.answers)
        self.keys, self.time, self.wall, self.disks = {}, 0.0, 1e9, FakeDisks()
        self.new()

    def mon(self, prefix, raw=False, key=None, val=None):
        if self.keys is None:
            raise OSError("no monitor")
        if prefix == "config-key set":
            self.keys[key] = val
        return self.keys.get(key, "")

    def new(self):
        self.agent = agent.Agent(self, "h", self.disks, self.dir.name + "/osd.{}.asok", lambda: self.time,
                                 lambda: self.wall, self.dir.name + "/state/stops")

    def want(self, what, seconds=900):
        self.keys["parfleet/want/h"] = json.dumps({"osds": {"4": what}, "seconds": seconds, "until": self.time})

    def steps(self, count):
        for _ in range(count):
            self.agent.step()
            self.time += 2

    def test_report(self):
        self.steps(1)
        document = json.loads(self.keys["parfleet/seen/h"])
        self.assertEqual(document["osds"]["4"], {
            "spinning": True, "rate": 0, "epoch": 9, "pending": 70, "starts": 0, "unaligned": 3, "requests": 100,
            "spilled": 0, "db": 90, "db_free": 60, "options": {
                "osd_max_scrubs": "0", "bluestore_max_defer_interval": "0.000000"}})
        self.assertEqual(list(observe.reports({"h": document}, {4: "h"})), [4])

    def test_reports_news(self):
        """A report is written on news and each minute, with another number each time."""
        numbers = []
        for _ in range(40):
            self.steps(1)
            number = json.loads(self.keys["parfleet/seen/h"])["number"]
            numbers += [number] if number not in numbers else []
        self.assertEqual(len(numbers), 2)
        self.answers["status"]["newest_map"] = 10
        self.steps(1)
        self.assertNotIn(json.loads(self.keys["parfleet/seen/h"])["number"], numbers)

    def test_stops(self):
        """A disk is stopped after 10 s without a request, and started when that is wanted."""
        self.want("doze")
        self.steps(3)
        self.disks.count += 1
        self.steps(5)
        self.assertEqual(self.disks.done, [])
        self.steps(2)
        self.assertEqual(self.disks.done, ["stop", "stay"])
        self.steps(10)
        self.want("awake")
        self.steps(2)
        self.assertEqual(self.disks.done, ["stop", "stay", "start"])

    def test_does_not_stop(self):
        """A disk that does not stop is let alone after 30 s, and tried again at most ten times a day."""
        self.want("doze", 3600)
        self.disks.stuck = True
        self.steps(20)
        self.assertEqual(self.disks.done, ["stop"])
        self.steps(400)
        self.assertEqual(self.disks.done, ["stop"] * 10)

    def test_does_not_tell(self):
        """A disk whose power the kernel does not manage is not stopped; doctor says so."""
        self.want("doze", 3600)
        self.disks.turns = None
        self.steps(20)
        self.assertEqual(self.disks.done, [])

    def test_no_room(self):
        """Where the stops cannot be counted (a full disk), nothing is stopped, and reports go on."""
        self.want("doze", 3600)
        self.agent.state = "/dev/full/stops"
        self.steps(20)
        self.assertEqual((self.disks.done, "4" in json.loads(self.keys["parfleet/seen/h"])["osds"]), ([], True))

    def test_starts_four(self):
        """Disks are started four at a time, side by side; others in the next look."""
        for osd in range(5, 11):
            OneSocket(f"{self.dir.name}/osd.{osd}.asok", self.answers)
        meet = threading.Barrier(4, timeout=20)

        class Slow(FakeDisks):
            def spinning(self, osd):
                return osd in self.done

            def start(self, osd):
                if len(self.done) < 4 and not self.spinning(osd):
                    meet.wait()     # raises unless four are started at a time
                self.done.append(osd)
        self.agent.disks = Slow()
        self.keys["parfleet/want/h"] = json.dumps({"osds": {str(n): "awake" for n in range(4, 11)}, "seconds": 90})
        self.steps(1)
        self.assertEqual(sorted(self.agent.disks.done), [4, 5, 6, 7])
        self.steps(1)
        self.assertEqual(len(self.agent.disks.done), 7)

    def test_valve(self):
        """The agent itself sees that the OSD does not hold its writes back: the disk is not stopped."""
        self.answers["config get"]["bluestore_max_defer_interval"] = "1.000000"
        self.want("doze")
        self.steps(20)
        self.assertEqual(self.disks.done, [])

    def test_lease(self):
        """After the lease, and with silent monitors, nothing is stopped; the wall clock does not matter."""
        self.want("doze", 30)
        self.steps(8)
        self.keys = None
        self.wall += 1e6
        self.disks.turns = True
        self.steps(6)
        self.assertEqual(self.disks.done.count("stop"), 2)
        self.disks.turns = True
        self.time += 30
        self.steps(20)
        self.assertEqual(self.disks.done.count("stop"), 2)

    def test_budget(self):
        """Ten stops a day, also after the agent was started again, and when its file is damaged."""
        self.want("doze", 3600)
        for _ in range(14):
            self.steps(8)
            self.disks.turns = True
        self.assertEqual(self.disks.done.count("stop"), 10)
        self.new()
        self.steps(8)
        self.assertEqual(self.disks.done.count("stop"), 10)
        self.wall -= 3 * 86400
        self.steps(8)
        self.assertEqual(self.disks.done.count("stop"), 10, "a clock that is set back gives no new budget")
        self.wall += 3 * 86400
        self.agent.stops["day"] = self.agent.today()
        pathlib.Path(self.dir.name + "/state/stops").write_text("{")
        self.new()
        self.steps(8)
        self.assertEqual(self.disks.done.count("stop"), 10)
        self.wall += 86400
        self.steps(8)
        self.assertEqual(self.disks.done.count("stop"), 11)

    def test_garbage(self):
        """What is no wish is none."""
        for text in ("{", "[]", "null", '{"osds":{"4":"doze"}}', '{"osds":{"x":"doze"},"seconds":9}', "x" * 99):
            self.keys["parfleet/want/h"] = text
            self.steps(8)
        self.assertEqual(self.disks.done, [])

    def test_silent_osd(self):
        """An OSD that answers nonsense is not reported, and its disk is left alone."""
        self.want("doze")
        self.answers["perf dump"] = {}
        self.steps(9)
        self.assertEqual(json.loads(self.keys["parfleet/seen/h"])["osds"], {})
        self.assertEqual(self.disks.done, [])

    def test_disks(self):
        """The disks of an OSD are found through device mapper and partitions; their counters come from sysfs."""
        top = pathlib.Path(self.dir.name)
        dev = os.stat("/dev/null").st_rdev
        (top / "osd-1").mkdir()
        (top / "osd-1/block").symlink_to("/dev/null")
        for name in ("dm-0/slaves/sdb1", "sdb/sdb1"):
            (top / "devices" / name).mkdir(parents=True)
        (top / "devices/sdb/sdb1/partition").write_text("1")
        (top / "dev/block").mkdir(parents=True)
        (top / f"dev/block/{os.major(dev)}:{os.minor(dev)}").symlink_to(top / "devices/dm-0")
        os.rmdir(top / "devices/dm-0/slaves/sdb1")
        (top / "devices/dm-0/slaves/sdb1").symlink_to(top / "devices/sdb/sdb1")
        (top / "block/sdb").mkdir(parents=True)
        (top / "block/sdb/stat").write_text("7 0 8 1 20 0 8 1 3 1 1 0 0 0 0 5 1\n")
        disks = agent.Disks(str(top / "osd-{}"), str(top))
        self.assertEqual(disks.names(1), ["sdb"])
        self.assertEqual(disks.requests(1), 7 + 20 + 3 + 0 + 5)
        self.assertEqual((disks.names(2), disks.requests(2), disks.spinning(2)), ([], None, None))


if __name__ == "__main__":
    unittest.main()
