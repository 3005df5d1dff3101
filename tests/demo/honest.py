"""Gives the demo's parts what must not be, and expects them to notice."""
import json
import os
import pathlib
import subprocess
import tempfile
import unittest

import par_array
from tree import SourceChanged, Tree, Writer, digest

HERE = pathlib.Path(__file__).resolve().parent


class InDirectory(unittest.TestCase):
    def setUp(self):
        directory = tempfile.TemporaryDirectory()
        self.addCleanup(directory.cleanup)
        self.dir = pathlib.Path(directory.name)


class TreeNotices(InDirectory):
    def setUp(self):
        super().setUp()
        self.tree = Tree(self.dir / "root")
        self.tree.write_new("new", [0, 1, 70_000, 300])
        self.assertEqual(self.tree.compare(), [])

    def test_a_changed_byte(self):
        path = self.dir / "root/new/2"
        data = bytearray(path.read_bytes())
        data[40_000] ^= 1
        path.write_bytes(data)
        self.assertEqual(self.tree.compare(), ["new/2 has other contents"])

    def test_a_missing_file(self):
        os.remove(self.dir / "root/new/0")
        self.assertEqual(self.tree.compare(), ["new/0 is missing"])

    def test_a_file_that_came_back(self):
        data = (self.dir / "root/new/3").read_bytes()
        self.tree.delete(["new/3"])
        self.assertEqual(self.tree.compare(), [])
        (self.dir / "root/new/3").write_bytes(data)
        self.assertEqual(self.tree.compare(), ["new/3 should not be there"])

    def test_nothing_after_its_own_changes(self):
        before = dict(self.tree.files)
        self.tree.patch(["new/0", "new/2"])
        self.tree.overwrite(["new/1"])
        self.assertNotEqual(self.tree.files["new/1"], before["new/1"])
        self.assertNotEqual(self.tree.files["new/2"], before["new/2"])
        self.assertEqual(self.tree.files["new/2"][0], 70_000)
        writer = Writer(self.tree, "writer")
        for _ in range(3):
            writer.write_one()
        writer.files.pop("writer/1")
        self.tree.files.update(writer.files)
        self.assertEqual(self.tree.compare(), ["writer/1 should not be there"])

    def test_a_source_that_changed(self):
        source = self.dir / "source"
        source.write_text("new")
        with self.assertRaises(SourceChanged):
            self.tree.copy({str(source): digest(b"old")}, lambda *_: None)


class SleepersNotice(InDirectory):
    def setUp(self):
        super().setUp()
        self.addCleanup(setattr, par_array, "BLOCK", par_array.BLOCK)
        self.addCleanup(setattr, par_array, "SPINDLES", par_array.SPINDLES)
        par_array.BLOCK = par_array.SPINDLES = self.dir
        (self.dir / "d").mkdir()
        self.stat = list(range(100, 117))
        self.write()
        self.sleepers = par_array.Sleepers(["d"])

    def write(self, inflight="0 0", starts=3):
        (self.dir / "d/starts").write_text(f"{starts}\n")
        (self.dir / "d/stat").write_text(" ".join(map(str, self.stat)))
        (self.dir / "d/inflight").write_text(inflight)

    def test_every_counter(self):
        for place, _ in enumerate(self.stat):
            self.stat[place] += 1
            self.write()
            self.sleepers.check("a test")
            self.assertEqual(len(self.sleepers.moved), place + 1)
        self.assertIn("d during a test: flushes +1", self.sleepers.moved)
        self.sleepers.check("nothing")
        self.assertEqual(len(self.sleepers.moved), len(self.stat))

    def test_a_start(self):
        self.write(starts=4)
        self.sleepers.check("a test")
        self.assertEqual(self.sleepers.moved, ["d was started during a test"])
        self.sleepers.check("nothing")
        self.assertEqual(len(self.sleepers.moved), 1)

    def test_requests_in_flight(self):
        self.write("0 1")
        self.sleepers.check("a test")
        self.assertEqual(len(self.sleepers.moved), 1)


class ReportTells(InDirectory):
    def setUp(self):
        super().setUp()
        self.day(True)

    def day(self, holds):
        (self.dir / "day").mkdir(exist_ok=True)
        claims = [{"claim": "the sun rises", "holds": holds, "detail": ""}]
        (self.dir / "day/report.json").write_text(json.dumps({"claims": claims}))
        (self.dir / "day/report.txt").write_text("What the day took\n")

    def report(self, results, status):
        if results is not None:
            (self.dir / "results.json").write_text(json.dumps(results))
        done = subprocess.run([HERE / "report", self.dir, str(status), "7"], text=True,
                              stdout=subprocess.PIPE, check=False)
        written = json.loads((self.dir / "report.json").read_text())
        self.assertEqual(done.stdout, (self.dir / "report.txt").read_text())
        self.assertEqual(written["passed"], done.returncode == 0)
        return done.returncode, done.stdout

    @staticmethod
    def results(holds=True, finished=True):
        return {"claims": [{"claim": "it works", "holds": holds, "detail": "so and so"}],
                "phases": [], "shifts": [], "finished": finished, "broke_off": ""}

    def test_success(self):
        status, text = self.report(self.results(), 0)
        self.assertEqual(status, 0)
        self.assertIn("What the day took", text)
        self.assertEqual(text.splitlines()[3], "VERDICT: all 4 claims hold")

    def test_what_paradm_says(self):
        said = {"status": ["md0: gear 3 of 5"], "explain": ["md0: why"]}
        text = self.report(self.results() | {"paradm": said}, 0)[1]
        self.assertTrue(text.endswith("$ paradm status\n  md0: gear 3 of 5\n$ paradm explain\n  md0: why\n"))

    def test_that_there_is_no_paradm(self):
        status, text = self.report(self.results() | {"paradm": None}, 0)
        self.assertEqual(status, 0)
        self.assertIn("paradm was not built", text.splitlines()[-1])

    def test_a_day_of_which_a_claim_does_not_hold(self):
        self.day(False)
        status, text = self.report(self.results(), 0)
        self.assertEqual(status, 1)
        self.assertIn("FAILED  the sun rises", text)
        self.assertEqual(text.splitlines()[3], "VERDICT: 1 of 4 claims does not hold: see Claims, at the end")

    def test_a_day_that_broke_off(self):
        (self.dir / "day/report.json").unlink()
        status, text = self.report(self.results(), 0)
        self.assertEqual(status, 1)
        self.assertIn("FAILED  a day in virtual time has a report", text)

    def test_a_claim_that_does_not_hold(self):
        status, text = self.report(self.results(holds=False), 1)
        self.assertEqual(status, 1)
        self.assertIn("FAILED  it works", text)

    def test_a_story_that_broke_off(self):
        status, text = self.report(self.results(finished=False), 1)
        self.assertEqual(status, 1)
        self.assertIn("FAILED  the story is complete", text)

    def test_a_machine_that_failed(self):
        for machine in (98, 99):
            status, text = self.report(self.results(), machine)
            self.assertEqual(status, 1)
            self.assertIn("FAILED  the kernel's log", text)

    def test_no_results(self):
        self.assertEqual(self.report(None, 99)[0], 1)


if __name__ == "__main__":
    unittest.main()
