# SPDX-License-Identifier: GPL-2.0
"""The agent on two disks of a test machine: disks.py DISK DISK. Run by tests/machine/cases/fleet-agent.sh.

OSD 1 is on the first disk, OSD 2 below device mapper on the second, if there is dmsetup. Their admin sockets answer as
an OSD's that dozes.
"""
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import time

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent.parent / "tools/parfleet")]
from commands import OneSocket      # noqa: E402
from parfleet import agent      # noqa: E402

ANSWERS = {
    "perf dump": {"osd": {"op_w_in_bytes": 5, "subop_w_in_bytes": 6}, "bluefs": {
        "slow_used_bytes": 0, "db_total_bytes": 90, "db_used_bytes": 30},
                  "bluestore": {"write_penalty_read_ops": 3},
                  "throttle-bluestore_throttle_deferred_bytes": {"val": 70}},
    "status": {"newest_map": 9}, "config get": {"osd_max_scrubs": "0", "bluestore_max_defer_interval": "0.000000"}}


SENT = pathlib.Path("/sys/kernel/tracing/instances/sent/trace")     # of commands to disks of sd, where there are some


class Mons:
    """The monitors: one wish, and the last report."""

    def __init__(self):
        self.want, self.reports = "", {}

    def mon(self, prefix, raw=False, key=None, val=None):
        if prefix == "config-key set":
            self.reports = json.loads(val)["osds"]
        return self.want

    def ask(self, what):
        self.want = json.dumps({"osds": {"1": what, "2": what}, "seconds": 900, "until": time.time()})


def read(path):
    """4 KiB past the page cache."""
    subprocess.run(["dd", f"if={path}", "of=/dev/null", "bs=4k", "count=1", "iflag=direct", "status=none"], check=True)


def mapped(disk):
    """The device below which OSD 2 has its disk."""
    if not shutil.which("dmsetup"):
        return f"/dev/{disk}"
    size = int(pathlib.Path(f"/sys/block/{disk}/size").read_text())
    subprocess.run(["dmsetup", "create", "--noudevsync", "osd2", "--table", f"0 {size} linear /dev/{disk} 0"],
                   check=True)
    # There is no udev that makes the link in /dev/mapper.
    return next(f"/dev/{path.parts[3]}" for path in pathlib.Path("/sys/block").glob("dm-*/dm/name")
                if path.read_text() == "osd2\n")


class Host:
    """The agent, and what it does in so many looks."""

    def __init__(self, directory, devices):
        for osd, device in devices.items():
            os.mkdir(f"{directory}/osd-{osd}")
            os.symlink(device, f"{directory}/osd-{osd}/block")
            OneSocket(f"{directory}/{osd}.asok", ANSWERS)
        self.mons, self.disks = Mons(), agent.Disks(directory + "/osd-{}")
        self.agent = agent.Agent(self.mons, "h", self.disks, directory + "/{}.asok", state=directory + "/stops")

    def looks(self, count):
        for _ in range(count):
            self.agent.step()
            time.sleep(agent.INTERVAL)

    def turn(self):
        return [self.disks.spinning(osd) for osd in (1, 2)]

    def requests(self):
        return [self.disks.requests(osd) for osd in (1, 2)]


def main(disks):
    with tempfile.TemporaryDirectory() as directory:
        devices = {1: f"/dev/{disks[0]}", 2: mapped(disks[1])}
        host = Host(directory, devices)
        found = [host.disks.names(osd) for osd in (1, 2)]
        assert found == [[disks[0]], [disks[1]]], f"the disks are found: {found}, {devices}"
        host.looks(10)
        assert host.turn() == [True, True], "nothing is stopped without a wish"
        host.mons.ask("doze")
        host.looks(12)
        assert host.turn() == [False, False], "both are stopped"
        before = host.requests()
        if SENT.exists():
            SENT.write_text("\n")
        host.looks(60)
        assert not SENT.exists() or "scsi_dispatch" not in SENT.read_text(), SENT.read_text()
        assert (host.turn(), host.requests()) == ([False, False], before), "looks start no disk, and request nothing"
        for osd in 1, 2:
            read(devices[osd])
        assert all(now > then for now, then in zip(host.requests(), before)), "reads are counted"
        host.looks(3)
        assert host.turn() == [True, True], "a read starts a disk"
        assert pathlib.Path(f"/sys/block/{disks[0]}/device/power/control").read_text() == "on\n", \
            "a disk that a read has started is not stopped by the kernel alone"
        host.looks(12)
        assert host.turn() == [False, False], "and it is stopped again when it is idle"
        host.mons.ask("awake")
        host.looks(10)
        assert host.turn() == [True, True], "the wish starts them"
        time.sleep(7200)
        assert host.turn() == [True, True], "and they stay awake"
        host.mons.ask("doze")
        host.looks(12)
        assert host.turn() == [False, False]
        host.agent = None      # the agent is gone: a read starts the disks all the same
        for osd in 1, 2:
            read(devices[osd])
        assert host.turn() == [True, True]
        if devices[2] != f"/dev/{disks[1]}":
            subprocess.run(["dmsetup", "remove", "--noudevsync", "osd2"], check=True)


main(sys.argv[1:])
