# SPDX-License-Identifier: GPL-2.0
"""parfleet-agent: stops and starts the disks of one host's OSDs, and reports what they do. One file of its own.

Every 2 s it reads what the controller wants (config-key parfleet/want/HOST), the OSDs' admin sockets, and counters and
power states of the disks (runtime PM), none of which starts a disk. It stops a disk only if the controller wants that,
within its lease, while the OSD holds its writes back, after 10 s without a request, and within the disk's daily budget. It never
has to act for a disk that sleeps: any request starts it.
"""
import argparse
import glob
import json
import os
import socket
import sys
import threading
import time

PREFIX = "parfleet/"
INTERVAL, REPORT = 2.0, 60.0    # seconds between two looks, and between two reports without any news
IDLE = 10.0                     # seconds without a request before a disk is stopped
STOPS = 30.0                    # seconds that a disk may take to stop
STAYS = "3600000"               # ms: longer than the agent takes to see that a request has started a disk
AT_ONCE = 4                     # disks that are started at a time; the next ones in the next look
BUDGET = 10                     # stops of a disk a day: 30,000 in eight years
OPTIONS = ("osd_max_scrubs", "bluestore_max_defer_interval")
STATE = "/var/lib/parfleet/stops"


class SocketError(Exception):
    """An OSD's admin socket does not answer."""


def ask(path, prefix, timeout=5.0, **args):
    """The JSON that an admin socket answers. The protocol: a command that ends in 0, then a length and the answer."""
    try:
        with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as sock:
            sock.settimeout(timeout)
            sock.connect(path)
            sock.sendall(json.dumps({"prefix": prefix, "format": "json", **args}).encode() + b"\0")
            file = sock.makefile("rb")
            size = int.from_bytes(file.read(4), "big")
            return json.loads(file.read(size))
    except (OSError, ValueError) as error:
        raise SocketError(f"{path}: {prefix}: {error}") from None


class Disks:
    """The disks of OSDs, found by the link `block` in the OSD's directory, through device mapper."""

    def __init__(self, osds="/var/lib/ceph/osd/ceph-{}", sys_dir="/sys"):
        self.osds, self.sys = osds, sys_dir

    def names(self, osd):
        """The names of the disks below an OSD (["sda"]); [] for none, such as a file."""
        try:
            number = os.stat(os.path.join(self.osds.format(osd), "block")).st_rdev
        except OSError:
            return []
        found, todo = [], [f"{self.sys}/dev/block/{os.major(number)}:{os.minor(number)}"]
        while todo:
            path = os.path.realpath(todo.pop())
            below = glob.glob(path + "/slaves/*")
            if below:
                todo += below
            elif os.path.exists(path + "/partition"):
                found.append(os.path.basename(os.path.dirname(path)))
            elif os.path.isdir(path):
                found.append(os.path.basename(path))
        return sorted(set(found))

    def requests(self, osd):
        """A number that changes with each request to the disks of an OSD; None if there is none."""
        total = 0
        for name in self.names(osd):
            try:
                with open(f"{self.sys}/block/{name}/stat", encoding="ascii") as file:
                    fields = [int(field) for field in file.read().split()]
            except (OSError, ValueError):
                return None
            # reads, writes, discards, flushes, and those in flight
            total += sum(fields[n] for n in (0, 4, 8, 11, 15) if n < len(fields))
        return total if self.names(osd) else None

    def power(self, name, file, value=None):
        """Read a file of the disk's runtime PM, or write it. None if there is none, or if it takes no such value."""
        path = f"{self.sys}/block/{name}/device/power/{file}"
        try:
            if value is None:
                with open(path, encoding="ascii") as opened:
                    return opened.read().strip()
            with open(path, "w", encoding="ascii") as opened:
                opened.write(value)
            return value
        except OSError:
            return None

    def spinning(self, osd):
        """Do the disks turn? None if one does not tell. The kernel knows, and asks no disk."""
        known = {"active": True, "resuming": True, "suspending": True, "suspended": False}
        states = [known.get(self.power(name, "runtime_status")) for name in self.names(osd)]
        return None if not states or None in states else any(states)

    def stop(self, osd):
        """Let the kernel stop the disks, which have been idle for IDLE. This takes seconds, and is not waited for."""
        for name in self.names(osd):
            for path in glob.glob(f"{self.sys}/block/{name}/device/scsi_disk/*/manage_start_stop"):
                # Kernels from 6.6 on have a file for each occasion, and this one to be read only.
                newer = path.replace("manage_start_stop", "manage_runtime_start_stop")
                with open(newer if os.path.exists(newer) else path, "w", encoding="ascii") as file:
                    file.write("1")
            self.power(name, "autosuspend_delay_ms", str(int(IDLE * 1000)))
            self.power(name, "control", "auto")

    def stay(self, osd):
        """The disks have stopped. If a request starts one, it shall turn until the agent stops it again."""
        for name in self.names(osd):
            self.power(name, "autosuspend_delay_ms", STAYS)

    def start(self, osd):
        """Start the disks, or let those turn that do: the kernel does not stop them any more."""
        for name in self.names(osd):
            self.power(name, "control", "on")


class Osd:
    """What the agent remembers of an OSD."""

    def __init__(self):
        self.requests, self.since = None, None      # the counter, and since when it has not changed
        self.written, self.at = None, None          # bytes written to BlueStore, and when
        # Until it is known that the kernel does not stop the disk by itself; when it was asked to, if it has not yet.
        self.may_sleep, self.asked = True, None


class Agent:
    """`mons` has mon(prefix, raw, **arguments), see ctl/controller.py. `clock` never goes back: time.monotonic."""

    def __init__(self, mons, host, disks, sockets, clock=time.monotonic, wall=time.time, state=STATE, budget=BUDGET):
        """sockets: a pattern of paths with {} for the OSD's number."""
        self.mons, self.host, self.disks, self.sockets = mons, host, disks, sockets
        self.clock, self.wall, self.state, self.budget = clock, wall, state, budget
        self.osds = {}
        self.text, self.until = None, float("-inf")     # of the wish, and when its lease ends
        self.want = {}
        self.sent, self.sent_at, self.number = None, float("-inf"), int(wall() * 1000)
        self.stops, self.said = self.load_stops(), None

    def load_stops(self):
        """{"day": number, "osds": {OSD: stops}}; a budget that cannot be read is taken as used up for today."""
        try:
            with open(self.state, encoding="ascii") as file:
                data = json.load(file)
            return {"day": int(data["day"]), "osds": {str(k): int(v) for k, v in data["osds"].items()}}
        except FileNotFoundError:
            return {"day": self.today(), "osds": {}}
        except (OSError, ValueError, KeyError, AttributeError, TypeError):
            return {"day": self.today(), "osds": None}

    def today(self):
        return int(self.wall() // 86400)

    def stopped(self, osd):
        """How often the disk was stopped today."""
        if self.stops["day"] != self.today():
            # A clock that is set back gives no new budget.
            later = self.today() > self.stops["day"]
            self.stops = {"day": self.today(), "osds": {} if later else self.stops["osds"]}
        if self.stops["osds"] is None:
            return self.budget
        return self.stops["osds"].get(str(osd), 0)

    def count_stop(self, osd):
        """Written before the disk is stopped; raises OSError if that fails, and the disk is not stopped."""
        count = self.stopped(osd) + 1
        self.stops["osds"][str(osd)] = count
        os.makedirs(os.path.dirname(self.state), exist_ok=True)
        with open(self.state + ".new", "w", encoding="ascii") as file:
            json.dump(self.stops, file)
        os.replace(self.state + ".new", self.state)

    def read_want(self):
        """Read what is wanted. A lease begins when the agent first sees it: clocks of two hosts differ."""
        try:
            text = self.mons.mon("config-key get", key=PREFIX + "want/" + self.host, raw=True)
            if text != self.text:
                document = json.loads(text)
                self.want = {int(osd): str(want) for osd, want in document["osds"].items()}
                self.text, self.until = text, self.clock() + min(float(document["seconds"]), 3600.0)
        except (ValueError, KeyError, AttributeError, TypeError):
            self.want, self.text = {}, None
        except Exception:   # the monitors are silent: what was wanted is so until the lease ends
            pass

    def local(self):
        """The numbers of this host's OSDs, by their admin sockets."""
        head, _, tail = self.sockets.partition("{}")
        paths = glob.glob(glob.escape(head) + "*" + glob.escape(tail))
        numbers = [path[len(head):len(path) - len(tail)] for path in paths]
        return sorted(int(number) for number in numbers if number.isdigit())

    def look(self, osd):
        """What is reported of an OSD, or None if its socket does not answer."""
        path, own, now = self.sockets.format(osd), self.osds.setdefault(osd, Osd()), self.clock()
        requests = self.disks.requests(osd)
        if requests is None or requests != own.requests:
            own.requests, own.since = requests, now
        try:
            perf, status = ask(path, "perf dump"), ask(path, "status")
            options = {name: ask(path, "config get", var=name)[name] for name in OPTIONS}
            store = perf["bluestore"]
            written = perf["osd"]["op_w_in_bytes"] + perf["osd"]["subop_w_in_bytes"]
            rate = 0.0
            if own.written is not None and now > own.at:
                rate = max(0.0, (written - own.written) / (now - own.at))
            own.written, own.at = written, now
            unaligned = store.get("write_penalty_read_ops", store.get("bluestore_write_penalty_read_ops", 0))
            return {"spinning": self.disks.spinning(osd), "rate": round(rate), "epoch": status["newest_map"],
                    "pending": perf["throttle-bluestore_throttle_deferred_bytes"]["val"], "options": options,
                    "starts": self.stopped(osd), "unaligned": unaligned, "requests": requests,
                    "spilled": perf["bluefs"]["slow_used_bytes"], "db": perf["bluefs"]["db_total_bytes"],
                    "db_free": perf["bluefs"]["db_total_bytes"] - perf["bluefs"]["db_used_bytes"]}
        except (SocketError, KeyError, TypeError):
            return None

    def step(self):
        """Look, act, report."""
        self.read_want()
        reports = {osd: report for osd in self.local() for report in [self.look(osd)] if report}
        start = [osd for osd, r in reports.items() if self.want.get(osd) == "awake" and r["spinning"] is False]
        start = start[:AT_ONCE] + [osd for osd, r in reports.items() if self.turns_by_itself(osd, r)]
        for osd in start:
            self.osds[osd].may_sleep = False
        threads = [threading.Thread(target=self.try_to, args=(self.disks.start, osd)) for osd in start]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        for osd, report in reports.items():
            if self.want.get(osd) == "doze" and report["spinning"] and self.may_stop(osd, report):
                self.try_to(self.stop, osd)
        self.report(reports)

    def turns_by_itself(self, osd, report):
        """Does a disk turn that the kernel may stop: one that a request has started, or that does not stop?"""
        own = self.osds[osd]
        if report["spinning"] is False and own.asked is not None:
            own.asked = None
            self.try_to(self.disks.stay, osd)
        late = own.asked is not None and self.clock() - own.asked > STOPS
        if late:
            own.asked = None
            print(f"parfleet-agent: osd.{osd}: the kernel does not stop its disk", file=sys.stderr, flush=True)
        return bool(report["spinning"]) and own.may_sleep and own.asked is None

    def may_stop(self, osd, report):
        """By the agent's own look: the lease, the valve, idleness, the budget."""
        return (self.osds[osd].asked is None and self.clock() < self.until and float(report["options"][OPTIONS[1]]) == 0
                and self.osds[osd].since is not None and self.clock() - self.osds[osd].since >= IDLE
                and report["requests"] is not None and self.stopped(osd) < self.budget)

    def stop(self, osd):
        self.count_stop(osd)
        self.osds[osd].may_sleep, self.osds[osd].asked = True, self.clock()
        self.disks.stop(osd)

    @staticmethod
    def try_to(what, osd):
        try:
            what(osd)
        except OSError as error:
            print(f"parfleet-agent: osd.{osd}: {error}", file=sys.stderr, flush=True)

    def report(self, reports):
        """Write a report if something has changed that the controller waits for, or after a minute."""
        rough = {osd: [r["spinning"], r["options"], r["pending"].bit_length(), r["epoch"], r["starts"]]
                 for osd, r in reports.items()}
        if rough == self.sent and self.clock() - self.sent_at < REPORT:
            return
        self.number += 1
        text = json.dumps({"number": self.number, "at": self.wall(), "osds": reports})
        try:
            self.mons.mon("config-key set", key=PREFIX + "seen/" + self.host, val=text)
            self.sent, self.sent_at = rough, self.clock()
        except Exception as error:
            if str(error) != self.said:
                print(f"parfleet-agent: cannot report: {error}", file=sys.stderr, flush=True)
            self.said = str(error)


class Cluster:
    """The monitors, through python3-rados; connects again when they did not answer."""

    def __init__(self, conf, name):
        self.conf, self.name, self.cluster = conf, name, None

    def mon(self, prefix, raw=False, **args):
        import rados
        try:
            if self.cluster is None:
                cluster = rados.Rados(conffile=self.conf, name=self.name)
                cluster.connect(timeout=30)
                self.cluster = cluster
            code, out, text = self.cluster.mon_command(json.dumps({"prefix": prefix, **args}), b"", timeout=30)
        except rados.Error:
            self.cluster = None
            raise
        if code == -2:
            return ""
        if code:
            raise OSError(-code, f"{prefix}: {text}")
        return out.decode(errors="replace")


def options():
    parser = argparse.ArgumentParser(prog="parfleet-agent", description=__doc__.partition("\n")[0])
    parser.add_argument("--conf", default="/etc/ceph/ceph.conf", help="Ceph's configuration (%(default)s)")
    parser.add_argument("--name", default=f"client.parfleet-agent.{socket.gethostname()}", help="%(default)s")
    parser.add_argument("--sockets", default="/var/run/ceph/ceph-osd.{}.asok", help="admin sockets (%(default)s)")
    parser.add_argument("--budget", type=int, default=BUDGET, help="stops of a disk a day (%(default)s)")
    return parser


def main():
    args = options().parse_args()
    agent = Agent(Cluster(args.conf, args.name), socket.gethostname(), Disks(), args.sockets, budget=args.budget)
    while True:
        agent.step()
        time.sleep(INTERVAL)


if __name__ == "__main__":
    main()
