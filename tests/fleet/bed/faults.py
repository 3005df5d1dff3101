# SPDX-License-Identifier: GPL-2.0
"""Faults of a real cluster on two hosts, under a verified load: see cluster-faults.sh."""
import fcntl
import json
import os
import signal
import socket
import struct
import threading
import time

import lab

HOME = os.uname().nodename
STORED = ("parfleet/seen/" + HOME, "parfleet/seen/away", "parfleet/want/" + HOME, "parfleet/want/away",
          "parfleet/history")


def key(admin, name):
    return admin.mon("config-key dump", key=name).get(name)


def clocks(admin, fleet, load):
    """The hosts' clocks are two minutes apart, and the controller's is right for none of them."""
    lab.reach(admin, 1)
    lab.doze(admin, load, 15)


def garbage(admin, fleet, load):
    """What is stored is overwritten with nonsense: what can be made again is, and a wish of no sense wakes all."""
    sleepers = lab.asleep()
    leases = ["parfleet/want/" + host for host in {lab.host_of(osd) for osd in sleepers}]
    stops = {osd: lab.DISKS.get(osd)["stops"] for osd in sleepers}
    for text in "{", "[1]", "null", '{"osds":{"0":{"spinning":false}},"number":1}', "\0\1":
        for name in STORED:
            admin.mon("config-key set", key=name, val=text)
        time.sleep(1)
    lab.wait_for("leases are given again", 30, lambda: all(
        (key(admin, name) or "").startswith('{"osds": {') for name in leases))
    lab.wait_for("the agents report again", 30, lambda: all(
        '"spilled"' in (key(admin, name) or "") for name in STORED if "seen" in name))
    assert lab.asleep() == sleepers, f"{lab.asleep()} sleep, not {sleepers}"
    assert {osd: lab.DISKS.get(osd)["stops"] for osd in sleepers} == stops, "a disk was started for it"
    admin.mon("config-key set", key="parfleet/wish", val='{"gear": "one"}')
    lab.parfleet("gear", "1", code=5)
    lab.wait_for("a damaged wish wakes all", 60, lambda: not lab.asleep() and not admin.shifting())
    admin.mon("config-key rm", key="parfleet/wish")


def hangs(admin, fleet, load):
    """An agent hangs while its disks sleep: the wake does not wait for it for ever. It goes on: nothing is stopped."""
    lab.reach(admin, 1)
    host = lab.host_of(lab.asleep()[0])
    fleet.processes[host].send_signal(signal.SIGSTOP)
    lab.parfleet("gear", "3")
    lab.wait_for(f"all groups are awake without the agent of {host}", 90,
                 lambda: not admin.state()["groups"])
    fleet.processes[host].send_signal(signal.SIGCONT)
    lab.wait_for("the agent is back, and its disks turn", 30, lambda: not lab.asleep())
    time.sleep(5)
    assert not lab.asleep()


def link(up):
    """The second host's connection to all others: IFF_UP of the interface."""
    with socket.socket() as sock:
        fcntl.ioctl(sock, 0x8914, struct.pack("16sH14x", b"va", up))


def partition(admin, fleet, load):
    """The second host is cut off, with its OSDs and its agent: all others are awake, and go on with the copies left."""
    lab.reach(admin, 1)
    link(False)
    here = [osd for osd in lab.OSDS if lab.host_of(osd) == HOME]
    lab.wait_for("the second host's OSDs are down", 90, lambda: admin.mon("osd stat")["num_up_osds"] == 6)
    lab.wait_for("all others are awake", 90, lambda: not set(here) & set(lab.asleep()))
    count = len(load.times)
    time.sleep(5)
    assert len(load.times) - count > 20, "clients go on"
    link(True)
    lab.wait_for("the second host is back", 120, lambda: admin.mon("osd stat")["num_up_osds"] == 9 and admin.clean())
    lab.wait_for("all groups are awake", 60, lambda: not admin.state()["groups"])


def dies(admin, fleet, load):
    """The controller dies after each step of a shift down and up, and another one goes on."""
    watcher, deaths, ends = lab.Watcher(admin), [], threading.Event()

    def revive():
        while not ends.is_set():
            if fleet.processes["controller"].poll() is not None:
                deaths.append(fleet.processes["controller"].returncode)
                fleet.start("controller")
            time.sleep(0.2)
    os.environ["DIES"] = "1"
    fleet.kill("controller")
    thread = threading.Thread(target=revive)
    thread.start()
    try:
        lab.reach(admin, 1, 600)
        lab.doze(admin, load, 15)
        lab.parfleet("gear", "3")
        lab.wait_for("gear 3", 600, lambda: not lab.asleep() and not admin.state()["groups"])
    finally:
        ends.set()
        thread.join()
        del os.environ["DIES"]
    fleet.kill("controller")
    watcher.end()
    lab.say(f"{len(deaths)} deaths")
    assert len(deaths) >= 25 and set(deaths) == {-signal.SIGKILL}, deaths


def typed(admin, fleet, load):
    """An administrator types into a running shift: what was typed stands, and its group stays awake until resumed."""
    lab.parfleet("gear", "1")
    lab.wait_for("a shift has begun", 60, lambda: any(g["options"] for g in admin.state()["groups"].values()))
    name = next(iter(admin.state()["groups"]))
    mask = {"section": "osd", "mask": "pdu:" + name, "name": "osd_max_scrubs"}
    admin.mon("config set", who=f"osd/pdu:{name}", name="osd_max_scrubs", value="3")
    others = sorted(osd for group, osds in lab.GROUPS.items() if group != name for osd in osds)
    lab.wait_for("the two other groups doze", 120, lambda: lab.asleep() == others and not admin.shifting())
    assert admin.state()["left"] == [name]
    admin.mon("osd set", key="noout")
    lab.wait_for("a flag wakes all", 60, lambda: not lab.asleep() and not admin.state()["groups"])
    found = [o["value"] for o in admin.mon("config dump") if mask.items() <= o.items()]
    assert found == ["3"], found
    admin.mon("osd unset", key="noout")
    lab.wait_for("they doze again", 120, lambda: lab.asleep() == others and not admin.shifting())
    admin.mon("config rm", who=f"osd/pdu:{name}", name="osd_max_scrubs")
    lab.parfleet("resume")
    lab.wait_for("nobody is left alone", 30, lambda: not admin.state()["left"])
    lab.reach(admin, 3)


def unaligned(admin, fleet, load):
    """Overwrites that are not aligned to 4 KiB read on every replica: doctor foretells it, and sleepers wake."""
    io = load.cluster.open_ioctx("data")
    for number in range(60):
        io.write_full(f"u{number}", os.urandom(65536))
    time.sleep(2)
    lab.wait_for("gear 3", 30, lambda: not lab.asleep())
    for number in range(59):
        io.write(f"u{number}", b"x" * 100, 5000)
    # Its exit code is 1 for a block.db that is a file.
    lab.wait_for("doctor warns", 30, lambda: any("not aligned to 4 KiB" in finding["text"] for finding in
                                                 lab.parfleet("--json", "doctor", code=1)["findings"]))
    load.pause = 1e9    # nobody else wakes a disk
    lab.reach(admin, 1)
    sleepers = lab.asleep()
    before = {osd: lab.DISKS.get(osd)["reads"] for osd in sleepers}
    io.write("u59", b"x" * 100, 5000)
    woken = [osd for osd in sleepers if lab.DISKS.get(osd)["reads"] > before[osd]]
    lab.say(f"one overwrite of 100 bytes read on {len(woken)} of the sleepers")
    assert len(woken) == 2, "each replica of the object's PG in the two groups that sleep"


def main():
    admin = lab.Admin()
    lab.lay_out(admin)
    keys, first = admin.mon("auth ls"), lab.kept(admin)
    lab.configure()
    fleet = lab.Fleet(lab.make_keys(), {"controller": 60, "away": -60})
    load = lab.Load()
    only = os.environ.get("ONLY", "").split()
    for fault in clocks, garbage, hangs, partition, dies, typed, unaligned:
        if only and fault.__name__ not in only:
            continue
        lab.say(fault.__doc__)
        fault(admin, fleet, load)
        assert not load.errors, load.errors[:3]
    lab.given_back(admin, fleet, load, first, keys)


main()
