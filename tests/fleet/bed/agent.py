# SPDX-License-Identifier: GPL-2.0
"""The agent of the test cluster: its disks are files behind diskshim.c, which shares a page of counters with it."""
import mmap
import os
import struct
import sys
import time

sys.path.insert(0, "/lab/parfleet")
from parfleet import agent     # noqa: E402

FIELDS = ("reads", "writes", "flushes", "rbytes", "wbytes", "asleep", "wakes", "spinup_ms", "last_ns", "opened",
          "stops")     # the last one is the agent's own


class ShimDisks:
    """The disks of all OSDs. See agent.Disks."""

    def __init__(self, directory="/lab/disk"):
        self.directory, self.pages = directory, {}

    def get(self, osd):
        """{field: value}"""
        if osd not in self.pages:
            with open(os.path.join(self.directory, str(osd)), "r+b") as file:
                self.pages[osd] = mmap.mmap(file.fileno(), 4096)
        return dict(zip(FIELDS, struct.unpack("11Q", self.pages[osd][:88])))

    def put(self, osd, field, value):
        self.get(osd)
        at = FIELDS.index(field) * 8
        self.pages[osd][at:at + 8] = struct.pack("Q", value)

    def requests(self, osd):
        now = self.get(osd)
        return now["reads"] + now["writes"] + now["flushes"]

    def spinning(self, osd):
        return not self.get(osd)["asleep"]

    def stop(self, osd):
        self.put(osd, "spinup_ms", int(os.environ.get("SPINUP_MS", "2000")))
        self.put(osd, "stops", self.get(osd)["stops"] + 1)
        self.put(osd, "asleep", 1)
        return True

    def stay(self, osd):
        """The disk turns after a request, whatever happens."""

    def start(self, osd):
        if self.spinning(osd):
            return
        time.sleep(self.get(osd)["spinup_ms"] / 1000)
        self.put(osd, "asleep", 0)


if __name__ == "__main__":
    agent.IDLE, agent.REPORT = 2.0, 5.0
    host, key, skew = sys.argv[1:]
    one = agent.Agent(agent.Cluster("/etc/ceph/ceph.conf", key), host, ShimDisks(), "/lab/run/osd.{}.asok",
                      wall=lambda: time.time() + float(skew), state=f"/lab/stops.{host}", budget=1000)
    while True:
        one.step()
        time.sleep(0.5)
