# SPDX-License-Identifier: GPL-2.0
"""What takes long: 5 minutes of doze, drains of 100 MiB, the tail of an OSD's death, 100 kills: see cluster-long.sh."""
import os
import random
import time

import lab
from parfleet import agent

MIB = 1 << 20
KILLS = int(os.environ.get("KILLS", "100"))


def lay_out(admin):
    """Groups made by `parfleet layout apply` under load, in three steps, of which only the last moves data."""
    for osd in lab.OSDS:
        admin.mon("osd crush add", id=osd, weight=1.0, args=["root=default", f"host=h{osd}"])
    admin.mon("osd pool create", pool="data", pg_num=32, pgp_num=32)
    admin.mon("osd pool application enable", pool="data", app="test")
    lab.manager_pool(admin)
    lab.wait_for("all PGs are clean", 90, admin.clean)
    # A PG that has all of its writes in its log recovers at once, whatever the flag is: these have not.
    short = {"osd_min_pg_log_entries": "3", "osd_max_pg_log_entries": "5", "osd_pg_log_trim_min": "1"}
    for name, value in short.items():
        admin.mon("config set", who="osd", name=name, value=value)
    load = lab.Load(pause=0.02)
    time.sleep(30)
    load.pause = 0.15
    # 100 MiB in 32 PGs are up to 60 MiB of one OSD.
    lab.configure("throttle = 419430400\ndrain_at = 94371840\n")
    apply = "--json", "--name", "client.admin", "layout", "apply"
    lab.parfleet(*apply, code=1)
    lab.parfleet(*apply, code=1)
    time.sleep(10)
    before = admin.mon("status")["pgmap"]
    time.sleep(20)
    after = admin.mon("status")["pgmap"]
    assert after.get("misplaced_objects", 0) > 0.97 * before["misplaced_objects"] > 100, (before, after)
    assert not after.get("degraded_objects"), after
    lab.say(f"  {after['misplaced_objects']} of {after['misplaced_total']} copies are misplaced, and hardly any moves")
    lab.parfleet(*apply)
    lab.wait_for("the data has moved", 300, admin.clean)
    assert lab.parfleet(*apply[:-1])["type"] == "pdu"
    for name in short:
        admin.mon("config rm", who="osd", name=name)
    return load


def long_doze(admin, load, _fleet, _watcher):
    """300 s in gear 1 with 20 epochs, 100 MiB written, and 10,000 reads: no request to a sleeper."""
    lab.reach(admin, 1)
    begun, written = len(load.times), load.writes
    load.pause, load.most = 0.1, load.writes + 1620
    lab.doze(admin, load, 300, epochs=20)
    written = (load.writes - written) * load.size / MIB
    reads = len(load.times) - begun
    lab.say(f"  {written:.0f} MiB written, {reads} requests")
    assert written >= 100 and reads >= 10000
    load.pause, load.most = 0.15, float("inf")


def pending(osds):
    return sum(agent.ask(f"/lab/run/osd.{osd}.asok", "perf dump")["throttle-bluestore_throttle_deferred_bytes"]["val"]
               for osd in osds)


def drained(admin, load, what, numbers):
    """Let each group that dozes have these objects of 512 KiB pending, and wake: (s until it is drained, ratio)."""
    lab.reach(admin, 1)
    sleepers, size = lab.asleep(), 512 << 10
    io = load.cluster.open_ioctx("data")
    for number in numbers:
        io.write_full(f"drain{number}", os.urandom(size))
    waits = pending(sleepers)
    before, begun = {osd: lab.DISKS.get(osd) for osd in sleepers}, time.monotonic()
    lab.parfleet("gear", "3")
    while pending(sleepers) > len(sleepers) * 65536:
        assert time.monotonic() - begun < 120
        time.sleep(0.2)
    took = time.monotonic() - begun
    lab.wait_for("gear 3", 120, lambda: not lab.asleep() and not admin.state()["groups"])
    wrote = sum(lab.DISKS.get(osd)["wbytes"] - before[osd]["wbytes"] for osd in sleepers)
    ratio = wrote / (2 * len(set(numbers)) * size)
    lab.say(f"  {what}: {waits / MIB:.0f} MiB pending, drained {took:.1f} s after the wish, {wrote / MIB:.0f} MiB "
            f"written, {ratio:.2f} times the unique bytes")
    return took, ratio


def drain(admin, load, _fleet, _watcher):
    """100 MiB are pending in each group: how long a wake writes, and how much."""
    load.pause = 1e9
    took, ratio = drained(admin, load, "objects written once", range(200))
    assert took <= 2 + 15 and ratio <= 1.1
    # A write of a whole blob gets new blocks from BlueStore, so what it replaces is written, too: a figure, no bar.
    drained(admin, load, "half of them written twice", [*range(100), *range(200)])
    load.pause = 0.15


def tail(admin, load, fleet, watcher):
    """An awake OSD dies in gear 1, and a disk takes 10 s to spin up (cold storage, V-B: 99.985 and 99.955 %)."""
    watcher.paused = True
    os.environ["SPINUP_MS"] = "10000"
    for host in fleet.agents:
        fleet.kill(host)
    lab.reach(admin, 1)
    victim, begun = lab.awake_osd(random.Random(2)), time.monotonic()
    lab.kill_osd(victim)
    lab.wait_for("all groups are awake", 120, lambda: not lab.asleep() and not admin.shifting())
    lab.restart(victim)
    lab.wait_for("all PGs are clean", 120, admin.clean)
    while time.monotonic() - begun < 120:
        time.sleep(1)
    times = [took for at, took in list(load.times) if at + took >= begun]
    fast = sum(took < 2.3 for took in times) / len(times)
    lab.say(f"  {len(times)} requests in the 2 minutes after the death: {100 * fast:.3f} % below 2.3 s, the worst "
            f"{max(times):.1f} s")
    os.environ["SPINUP_MS"] = "2000"
    for host in fleet.agents:
        fleet.kill(host)
    assert fast >= 0.999 and max(times) <= 13
    lab.reach(admin, 3)
    watcher.paused = False


def kills(admin, load, fleet, watcher):
    """kill -9 at random times in gears 1 and 2, and on the way: controller, agent, OSDs awake and asleep."""
    rnd, dead = random.Random(7), []
    for number in range(KILLS):
        if number % 5 == 0:
            lab.parfleet("gear", str(rnd.choice([1, 1, 2, 3])))
        time.sleep(rnd.uniform(0, 12))
        what = rnd.choice(["controller", "controller", "agent", "osd"])
        if what != "osd":
            fleet.kill(what if what == "controller" else next(iter(fleet.agents)))
            continue
        watcher.paused = True
        dead.append(rnd.choice(lab.OSDS))
        lab.say(f"kill {number + 1}: osd.{dead[-1]}")
        lab.kill_osd(dead[-1])
        time.sleep(rnd.uniform(0, 15))
        lab.restart(dead[-1])
        lab.wait_for("all PGs are clean", 180, admin.clean)
        watcher.paused = False
        assert not load.errors, load.errors[:3]
    lab.say(f"{KILLS} kills, {len(dead)} of OSDs; worst request {max(took for _, took in load.times):.1f} s")


def scrubbed(admin):
    """All copies are compared by Ceph's own deep scrub."""
    start = time.time()
    for pg in admin.mgr("pg dump", dumpcontents=["pgs_brief"])["pg_stats"]:
        admin.mon("pg deep-scrub", pgid=pg["pgid"])
    lab.wait_for("all PGs are deep scrubbed", 600, lambda: all(
        lab.stamp(pg["last_deep_scrub_stamp"]) > start - 5
        for pg in admin.mgr("pg dump", dumpcontents=["pgs"])["pg_stats"]))
    states = {pg["state"] for pg in admin.mgr("pg dump", dumpcontents=["pgs"])["pg_stats"]}
    assert not any("inconsistent" in state for state in states), states


def main():
    admin = lab.Admin()
    load = lay_out(admin)
    keys, first = admin.mon("auth ls"), lab.kept(admin)
    fleet, watcher = lab.Fleet(lab.make_keys()), lab.Watcher(admin)
    only = os.environ.get("ONLY", "").split()
    for part in long_doze, drain, tail, kills:
        if not only or part.__name__ in only:
            lab.say(part.__doc__)
            part(admin, load, fleet, watcher)
    lab.parfleet("gear", "3")
    lab.wait_for("gear 3", 180, lambda: not lab.asleep() and not admin.state()["groups"])
    scrubbed(admin)
    watcher.end()
    lab.given_back(admin, fleet, load, first, keys)


main()
