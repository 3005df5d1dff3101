# SPDX-License-Identifier: GPL-2.0
"""What the scenarios beside this file share: the cluster's commands, a load that is verified, shifts, kills.

They run inside the cluster (cluster, beside this file), with parfleet's controller and agents as processes.
"""
import collections
import json
import os
import random
import re
import shlex
import signal
import struct
import subprocess
import threading
import time

import rados

from agent import ShimDisks     # which has put parfleet into the path
from parfleet.core.observe import stamp     # noqa: F401

KEYS = "/lab/keys/"
CONFIG = """[parfleet]
mode = advise
interval = 1
settle = 3
hysteresis = 1
frozen = 5
silence = 15
patience = 20
lease = 60
"""
OSDS = range(9)
GROUPS = {f"gear{n}": tuple(range(3 * n, 3 * n + 3)) for n in range(3)}
START = time.monotonic()
DISKS = ShimDisks()
HOSTS = {os.uname().nodename: "", "away": "/lab/away"}     # and the file with a process of the second one's namespaces


def say(*words):
    print(f"{time.monotonic() - START:6.1f} s ", *words, flush=True)


def ceph(*args):
    done = subprocess.run(["ceph", *args], check=False, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, f"ceph {args}: {done.stderr}"
    return done.stdout


class Admin:
    """Commands to the monitors and the manager, by one connection."""

    def __init__(self):
        self.cluster = rados.Rados(conffile="/etc/ceph/ceph.conf")
        self.cluster.connect(timeout=60)

    def mon(self, prefix, **args):
        return self.send(self.cluster.mon_command, prefix, args)

    def mgr(self, prefix, **args):
        return self.send(self.cluster.mgr_command, prefix, args)

    @staticmethod
    def send(method, prefix, args):
        code, out, text = method(json.dumps({"prefix": prefix, "format": "json", **args}), b"", timeout=60)
        assert code == 0, f"{prefix} {args}: {text}"
        return json.loads(out) if out else None

    def epoch(self):
        return self.mon("osd stat")["epoch"]

    def state(self):
        """The planner's, as stored; empty if there is none."""
        code, out, _ = self.cluster.mon_command(json.dumps({"prefix": "config-key get", "key": "parfleet/state"}),
                                                b"", timeout=60)
        return json.loads(out) if code == 0 else {"groups": {}}

    def shifting(self):
        return any(g["want"] == "awake" or g["valve"] is None for g in self.state()["groups"].values())

    def clean(self):
        states = self.mon("status")["pgmap"].get("pgs_by_state", [])
        return [state["state_name"] for state in states] == ["active+clean"]

    def causes(self, first, last):
        """What changed in the OSD map from epoch `first` to `last`: one line an epoch."""
        old, found = self.mon("osd dump", epoch=first), []
        for epoch in range(first + 1, last + 1):
            new = self.mon("osd dump", epoch=epoch)
            changed = {f"{name} of osd.{now['osd']}" for was, now in zip(old["osds"], new["osds"]) for name in now
                       if now[name] != was.get(name)}
            changed |= {name for name in set(new) - {"osds", "epoch", "modified"} if new[name] != old.get(name)}
            found.append(f"{epoch}: {', '.join(sorted(changed)) or 'nothing'}")
            old = new
        return found


def parfleet(*args, code=0):
    done = subprocess.run(["python3", "-B", "/lab/parfleet/bin/parfleet", "--config", "/lab/parfleet.conf", *args],
                          capture_output=True, text=True, timeout=300, check=False)
    assert done.returncode == code, f"parfleet {args}: {done.returncode}: {done.stdout}{done.stderr}"
    return json.loads(done.stdout) if "--json" in args else done.stdout


def wait_for(what, seconds, condition):
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, f"not within {seconds} s: {what}"
        time.sleep(0.3)
    say(what)


def host_of(osd):
    """The second host, if there is one, has the last group."""
    return "away" if os.path.exists(HOSTS["away"]) and osd in GROUPS["gear2"] else os.uname().nodename


def on(host):
    """What a command is begun with to run on a host."""
    if not HOSTS[host]:
        return []
    with open(HOSTS[host], encoding="ascii") as file:
        return ["nsenter", "-t", file.read().strip(), "-n", "-u"]


def manager_pool(admin, seconds=20):
    """Wait for the pool that the manager makes, beside the test's. On Debian 13 no module loads, and none is made."""
    end = time.monotonic() + seconds
    while len(admin.mon("osd dump")["pools"]) < 2 and time.monotonic() < end:
        time.sleep(0.5)


def lay_out(admin, pg_num=32):
    """Three groups of three OSDs, all pools in them."""
    for name, osds in GROUPS.items():
        admin.mon("osd crush add-bucket", name=name, type="pdu", args=["root=default"])
        for osd in osds:
            admin.mon("osd crush add", id=osd, weight=1.0, args=["root=default", f"pdu={name}", f"host=h{osd}"])
    admin.mon("osd crush rule create-replicated", name="gears", root="default", type="pdu")
    admin.mon("osd pool create", pool="data", pg_num=pg_num, pgp_num=pg_num, pool_type="replicated", rule="gears")
    admin.mon("osd pool application enable", pool="data", app="test")
    manager_pool(admin)
    for pool in admin.mon("osd dump")["pools"]:
        admin.mon("osd pool set", pool=pool["pool_name"], var="crush_rule", val="gears")
    wait_for("all PGs are clean", 90, admin.clean)


def make_keys():
    """The keys of the guide, by its own commands; the names of the agents', by host."""
    hosts = [host for host, file in HOSTS.items() if not file or os.path.exists(file)]
    with open("/lab/bed/parfleet.md", encoding="utf-8") as file:
        lines = [line for line in file if line.startswith("    ceph auth get-or")]
    assert len(lines) == 2
    names = {}
    for line in [lines[0], *(lines[1].replace("HOST", host) for host in hosts)]:
        command = shlex.split(line)
        ceph(*command[1:-1], KEYS + command[3])
        names[command[3].rpartition(".")[2]] = command[3]
    return {host: names[host] for host in hosts}


# Keys of `osd dump`: epochs and times, what follows from the start of an OSD, and what clients do.
PASSING = re.compile("epoch|modified|change$|^last_|^up_|^down_at|^lost_at|_addrs?$|^osd_xinfo|snap|block?list|read_bal")


def without_passing(value):
    if isinstance(value, dict):
        return {key: without_passing(one) for key, one in value.items() if not PASSING.search(key)}
    return [without_passing(one) for one in value] if isinstance(value, list) else value


def kept(admin):
    """What an administrator would compare."""
    keys = [key for key in admin.mon("config-key ls") if not key.startswith("config-history/")]
    return without_passing(admin.mon("osd dump")), admin.mon("config dump"), keys


def configure(more=""):
    with open("/lab/parfleet.conf", "w", encoding="utf-8") as file:
        file.write(CONFIG + more)


class Fleet:
    """parfleet's processes: the controller, and an agent on each host."""

    def __init__(self, agents, skew=None):
        """agents: {host: name of its key}; skew: {process: by how many s its clock is wrong}"""
        self.agents, self.skew, self.processes = agents, skew or {}, {}
        for name in ("controller", *agents):
            self.start(name)

    def start(self, name):
        skew = str(self.skew.get(name, 0))
        command = ["/lab/bed/agent.py", name, self.agents[name], skew] if name in self.agents else \
            ["/lab/bed/controller.py", skew, "--config", "/lab/parfleet.conf", "daemon"]
        with open(f"/lab/log/{name}", "a", encoding="utf-8") as log:
            self.processes[name] = subprocess.Popen([*(on(name) if name in self.agents else []), "python3", "-B",
                                                     *command], stdout=log, stderr=log)

    def kill(self, name):
        """kill -9, and the start of another one after a while, as systemd does it."""
        self.processes[name].kill()
        self.processes[name].wait()
        time.sleep(1)
        self.start(name)

    def end(self):
        for process in self.processes.values():
            process.terminate()
        assert self.processes["controller"].wait(30) == 0
        for process in self.processes.values():
            process.wait(30)


class Load:
    """Clients that read and write whole objects all the time. Each write is another version, and each read is compared
    with the versions that it may find."""

    def __init__(self, objects=150, size=65536, clients=3, pause=0.15, store=None):
        """One of the clients writes, with a pause in s: a group is drained when 64 MiB are pending on an OSD.

        store: has write_full() and read() as an Ioctx, which is the default: of the pool "data".
        """
        self.cluster = rados.Rados(conffile="/etc/ceph/ceph.conf")
        self.cluster.connect(timeout=60)
        self.store = store or self.cluster.open_ioctx("data")
        self.size, self.pause = size, pause
        self.writes, self.most = 0, float("inf")    # that were done, and are to be done
        self.names = [f"o{n}" for n in range(objects)]
        self.begun, self.done = dict.fromkeys(self.names, 0), dict.fromkeys(self.names, 0)
        self.errors, self.times, self.ends = [], [], False
        for name in self.names:
            self.store.write_full(name, self.content(name, 0))
        self.threads = [threading.Thread(target=self.work, args=(n,), daemon=True) for n in range(clients)]
        for thread in self.threads:
            thread.start()

    def content(self, name, version):
        return struct.pack("Q", version) + random.Random(f"{name} {version}").randbytes(self.size - 8)

    def write(self, name):
        if self.writes >= self.most:
            return
        self.writes += 1
        self.begun[name] += 1
        self.store.write_full(name, self.content(name, self.begun[name]))
        self.done[name] = self.begun[name]

    def read(self, name):
        least = self.done[name]
        data = self.store.read(name, 2 * self.size)
        version = struct.unpack("Q", data[:8])[0]
        if not least <= version <= self.begun[name]:
            self.errors.append(f"{name}: version {version}, not {least} to {self.begun[name]}")
        elif data != self.content(name, version):
            self.errors.append(f"{name}: wrong bytes")

    def work(self, seed):
        rnd = random.Random(seed)
        while not self.ends:
            name, begun = rnd.choice(self.names), time.monotonic()
            try:
                (self.read if seed else self.write)(name)
            except Exception as error:
                self.errors.append(f"{name}: {error}")
            self.times.append((begun, time.monotonic() - begun))
            resume = time.monotonic() + (0.01 if seed else self.pause)
            while time.monotonic() < resume and not self.ends:
                time.sleep(min(0.5, max(0, resume - time.monotonic())))

    def worst(self, since):
        return max(took for begun, took in self.times if begun + took >= since)

    def slow(self, since, limit=0.5, window=10):
        """The largest part of the requests begun within `window` s that took more than `limit` s."""
        first, last = int(since) - window, int(time.monotonic()) - window
        counts = collections.Counter()
        for begun, took in list(self.times):
            for second in range(max(first, int(begun) - window + 1), min(last, int(begun)) + 1):
                counts[second, took > limit] += 1
        return max((counts[second, True] / (counts[second, True] + counts[second, False])
                    for second in range(first, last + 1) if counts[second, False]), default=0.0)

    def end(self):
        """All ends; each object is read once more. Raises AssertionError if anything was wrong."""
        self.ends = True
        for thread in self.threads:
            thread.join(60)
        for name in self.names:
            self.read(name)
        assert not self.errors, self.errors[:3]


class Watcher:
    """Looks whether a PG is read on a disk that sleeps: parfleet's acts never lead to that, an OSD's death may."""

    def __init__(self, admin):
        self.admin, self.paused, self.ends, self.found, self.looks = admin, False, False, [], 0
        self.thread = threading.Thread(target=self.work, daemon=True)
        self.thread.start()

    def work(self):
        while not self.ends:
            asleep_before = set(asleep())
            pgs = self.admin.mgr("pg dump", dumpcontents=["pgs_brief"])["pg_stats"]
            both = asleep_before & set(asleep())
            wrong = {pg["acting_primary"] for pg in pgs} & both
            if wrong and not self.paused:
                self.found.append(sorted(wrong))
            self.looks += 1
            time.sleep(0.5)

    def end(self):
        self.ends = True
        self.thread.join(30)
        assert self.looks > 50 and not self.found, f"{self.looks} looks, PGs are read on sleepers: {self.found[:3]}"


def asleep():
    return [osd for osd in OSDS if not DISKS.spinning(osd)]


def reach(admin, gear, seconds=120):
    parfleet("gear", str(gear))
    wait_for(f"gear {gear}", seconds, lambda: len(asleep()) == 9 - 3 * gear and not admin.shifting())


def shift(admin, load, gear):
    """Shift to a gear under load: (longest request, part over 0.5 s, epochs)."""
    begun, epoch = time.monotonic(), admin.epoch()
    reach(admin, gear)
    last = admin.epoch()
    found = load.worst(begun), load.slow(begun), last - epoch
    say(f"  worst request {found[0]:.2f} s, {100 * found[1]:.2f} % over 0.5 s in 10 s, {found[2]} epochs")
    for line in admin.causes(epoch, last):
        say("    epoch", line)
    return found


def doze(admin, load, seconds, epochs=3, quiet=False):
    """No request reaches the sleepers, whatever is read and written, and while maps change."""
    sleepers = asleep()
    before = {osd: DISKS.get(osd) for osd in sleepers}
    count = len(load.times)
    for _ in range(epochs):
        time.sleep(seconds / epochs)
        admin.mon("osd primary-affinity", id=sleepers[0], weight=0.0)      # an epoch
    after = {osd: DISKS.get(osd) for osd in sleepers}
    say(f"{seconds} s of doze, {epochs} epochs: {len(load.times) - count} requests of clients, "
        f"{len(sleepers)} disks sleep")
    assert after == before and asleep() == sleepers, f"sleepers had requests: {before} {after}"
    assert len(load.times) - count > 100


def kill_osd(osd):
    with open(f"/lab/run/osd.{osd}.pid", encoding="ascii") as file:
        os.kill(int(file.read()), signal.SIGKILL)


def restart(osd):
    subprocess.run([*on(host_of(osd)), "ceph-osd", "-i", str(osd)], check=True, stderr=subprocess.DEVNULL, env={
        **os.environ, "DISKSHIM": f"/lab/disk/{osd}", "LD_PRELOAD": "/lab/diskshim.so"})


def awake_osd(rnd=random):
    return rnd.choice([osd for osd in OSDS if osd not in asleep()])


def memory():
    """Bytes of the cluster's processes, what they share counted once."""
    total = 0
    for name in os.listdir("/lab/run"):
        if name.endswith(".pid"):
            with open(f"/lab/run/{name}", encoding="ascii") as file, \
                    open(f"/proc/{file.read().strip()}/smaps_rollup", encoding="ascii") as rollup:
                total += next(int(line.split()[1]) for line in rollup if line.startswith("Pss:")) << 10
    return total


def given_back(admin, fleet, load, first, keys):
    """The end of each scenario: all is released, and as it was. first: of kept(); keys: of `auth ls`."""
    parfleet("hold", "awake")
    say(parfleet("release", "--all").strip())
    fleet.end()
    load.end()
    say(f"{len(load.times)} requests, 0 errors")
    for key in admin.mon("config-key dump", key="parfleet/"):
        admin.mon("config-key rm", key=key)     # of the moment between the release and the end of the processes
    for name in ("client.parfleet", *fleet.agents.values()):
        admin.mon("auth rm", entity=name)
    assert kept(admin) == first, f"{kept(admin)} instead of {first}"
    assert admin.mon("auth ls") == keys
    say("everything is as before")
