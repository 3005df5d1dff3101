# SPDX-License-Identifier: GPL-2.0
"""Shifts of a real cluster under a load that is verified: see cluster.sh beside this directory. Runs inside it."""
import json
import os
import random
import shlex
import signal
import subprocess
import threading
import time

import rados

from agent import ShimDisks

KEYS = "/lab/keys/"
CONFIG = """[parfleet]
mode = advise
interval = 2
settle = 3
hysteresis = 1
frozen = 10
silence = 30
lease = 60
"""
DISKS = ShimDisks()
HOST = os.uname().nodename


def say(*words):
    print(f"{time.monotonic() - START:6.1f} s ", *words, flush=True)


def ceph(*args):
    return subprocess.run(["ceph", *args], check=True, capture_output=True, text=True, timeout=120).stdout


def parfleet(*args, code=0):
    done = subprocess.run(["python3", "-B", "/lab/parfleet/bin/parfleet", "--config", "/lab/parfleet.conf", *args],
                          capture_output=True, text=True, timeout=300, check=False)
    assert done.returncode == code, f"parfleet {args}: {done.returncode}: {done.stdout}{done.stderr}"
    return json.loads(done.stdout) if "--json" in args else done.stdout


def wait_for(what, seconds, condition):
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, f"not within {seconds} s: {what}"
        time.sleep(0.5)
    say(what)


def lay_out():
    """Three groups of three OSDs, all pools in them."""
    for group in range(3):
        ceph("osd", "crush", "add-bucket", f"gear{group}", "pdu", "root=default")
    for osd in range(9):
        ceph("osd", "crush", "add", str(osd), "1", "root=default", f"pdu=gear{osd // 3}", f"host=h{osd}")
    ceph("osd", "crush", "rule", "create-replicated", "gears", "default", "pdu")
    ceph("osd", "pool", "create", "data", "32", "32", "replicated", "gears")
    ceph("osd", "pool", "application", "enable", "data", "test")
    pools = [pool["pool_name"] for pool in json.loads(ceph("osd", "dump", "-f", "json"))["pools"]]
    for pool in pools:
        ceph("osd", "pool", "set", pool, "crush_rule", "gears")
    wait_for("all PGs are clean", 90, is_clean)


def is_clean():
    states = json.loads(ceph("status", "-f", "json"))["pgmap"].get("pgs_by_state", [])
    return [state["state_name"] for state in states] == ["active+clean"]


def make_keys():
    """The keys of the guide, by its own commands; the name of the agent's."""
    with open("/lab/bed/parfleet.md", encoding="utf-8") as file:
        commands = [shlex.split(line.replace("HOST", HOST)) for line in file if line.startswith("    ceph auth get-or")]
    assert len(commands) == 2
    for command in commands:
        ceph(*command[1:-1], KEYS + command[3])
    return commands[1][3]


def kept():
    """What an administrator would compare."""
    dump = json.loads(ceph("osd", "dump", "-f", "json"))
    osds = [(o["osd"], o["up"], o["in"], o["weight"], o["primary_affinity"]) for o in dump["osds"]]
    pools = [(p["pool_name"], p["size"], p["min_size"], p["crush_rule"], p["pg_num"]) for p in dump["pools"]]
    keys = [key for key in json.loads(ceph("config-key", "ls", "-f", "json")) if not key.startswith("config-history/")]
    return osds, pools, dump["flags"], dump["crush_node_flags"], ceph("config", "dump", "-f", "json"), keys


def start(name, *command):
    with open(f"/lab/log/{name}", "a", encoding="utf-8") as log:
        return subprocess.Popen(["python3", "-B", *command], stdout=log, stderr=log)


def start_controller():
    return start("parfleet", "/lab/parfleet/bin/parfleet", "--config", "/lab/parfleet.conf", "daemon")


class Load:
    """Clients that read and write whole objects all the time, and compare what they read."""

    def __init__(self, objects=150, size=65536):
        self.cluster = rados.Rados(conffile="/etc/ceph/ceph.conf")
        self.cluster.connect(timeout=60)
        rnd = random.Random(1)
        self.data = {f"o{n}": rnd.randbytes(size) for n in range(objects)}
        self.errors, self.times, self.ends = [], [], False
        io = self.cluster.open_ioctx("data")
        for name, data in self.data.items():
            io.write_full(name, data)
        self.threads = [threading.Thread(target=self.work, args=(n,), daemon=True) for n in range(3)]
        for thread in self.threads:
            thread.start()

    def work(self, seed):
        rnd, io = random.Random(seed), self.cluster.open_ioctx("data")
        while not self.ends:
            name, begun = rnd.choice(list(self.data)), time.monotonic()
            try:
                if seed == 2:
                    io.write_full(name, self.data[name])
                elif io.read(name, 1 << 20) != self.data[name]:
                    self.errors.append(f"{name}: wrong bytes")
            except Exception as error:
                self.errors.append(f"{name}: {error}")
            self.times.append((begun, time.monotonic() - begun))
            # A group is drained when 64 MiB are pending on an OSD: writes are as few as to stay below.
            time.sleep(0.15 if seed == 2 else 0.01)

    def worst(self, since):
        return max(took for begun, took in self.times if begun + took >= since)


def asleep():
    return [osd for osd in range(9) if not DISKS.spinning(osd)]


def shift(load, gear):
    """Shift to a gear under load: the longest time that a request took."""
    begun = time.monotonic()
    epoch = json.loads(ceph("osd", "stat", "-f", "json"))["epoch"]
    parfleet("gear", str(gear))
    wait_for(f"gear {gear}", 120, lambda: len(asleep()) == 9 - 3 * gear and not shifting())
    epochs = json.loads(ceph("osd", "stat", "-f", "json"))["epoch"] - epoch
    say(f"  worst request {load.worst(begun):.2f} s, {epochs} epochs, {len(load.errors)} errors")
    return load.worst(begun)


def shifting():
    return {group["state"] for group in parfleet("--json", "status")["groups"]} & {"wakes", "on its way to doze"}


def doze(load, seconds):
    """No request reaches the sleepers, whatever is read and written, and while maps change."""
    sleepers = asleep()
    before = {osd: DISKS.requests(osd) for osd in sleepers}
    count = len(load.times)
    for _ in range(3):
        time.sleep(seconds / 3)
        ceph("osd", "primary-affinity", str(sleepers[0]), "0")      # an epoch
    after = {osd: DISKS.requests(osd) for osd in sleepers}
    say(f"{seconds} s of doze: {len(load.times) - count} requests of clients, {len(sleepers)} disks sleep")
    assert after == before and asleep() == sleepers, f"sleepers had requests: {before} {after}"
    assert len(load.times) - count > 100


def restart(osd):
    subprocess.run(["ceph-osd", "-i", str(osd)], check=True, stderr=subprocess.DEVNULL, env={
        **os.environ, "DISKSHIM": f"/lab/disk/{osd}", "LD_PRELOAD": "/lab/diskshim.so"})


def main():
    lay_out()
    before_keys = ceph("auth", "ls", "-f", "json")
    first = kept()
    agent_name = make_keys()
    with open("/lab/parfleet.conf", "w", encoding="utf-8") as file:
        file.write(CONFIG)
    agent, controller = start("agent", "/lab/bed/agent.py", HOST, agent_name), start_controller()
    load = Load()
    say("load")
    worst = [shift(load, 2), shift(load, 1)]
    doze(load, int(os.environ.get("DOZE", 60)))
    controller.kill()
    controller.wait()
    controller = start_controller()
    worst.append(shift(load, 3))
    assert max(worst) <= 3, f"a request took {max(worst):.1f} s"
    shift(load, 1)
    victim = next(osd for osd in range(9) if osd not in asleep())
    with open(f"/lab/run/osd.{victim}.pid", encoding="ascii") as file:
        os.kill(int(file.read()), signal.SIGKILL)
    say("an awake OSD is killed in gear 1")
    wait_for("all groups are awake", 90, lambda: asleep() == [] and not shifting())
    restart(victim)
    wait_for("all PGs are clean", 90, is_clean)
    parfleet("hold", "awake")
    out = parfleet("release", "--all")
    controller.terminate()
    agent.terminate()
    assert controller.wait(30) == 0
    load.ends = True
    for thread in load.threads:
        thread.join(60)
    assert not load.errors, load.errors[:3]
    say(out.strip(), f"{len(load.times)} requests, 0 errors")
    for key in json.loads(ceph("config-key", "dump", "parfleet/", "-f", "json")):
        ceph("config-key", "rm", key)       # of the moment between the release and the end of the two
    for name in ("client.parfleet", agent_name):
        ceph("auth", "rm", name)
    assert kept() == first, f"{kept()} instead of {first}"
    assert ceph("auth", "ls", "-f", "json") == before_keys
    say("everything is as before")


if __name__ == "__main__":
    START = time.monotonic()
    main()
