# SPDX-License-Identifier: GPL-2.0
"""Shifts of a real cluster under a verified load: see cluster.sh."""
import random
import time

import lab


def main():
    admin = lab.Admin()
    lab.lay_out(admin)
    keys, first = admin.mon("auth ls"), lab.kept(admin)
    lab.configure()
    fleet = lab.Fleet(lab.make_keys())
    load, watcher = lab.Load(), lab.Watcher(admin)
    lab.say("load")
    found = [lab.shift(admin, load, 2), lab.shift(admin, load, 1)]
    lab.doze(admin, load, 60)
    found.append(lab.shift(admin, load, 3))
    for worst, slow, epochs in found:
        assert worst <= 3 and slow <= 0.01 and epochs <= 3, found
    kills(admin, fleet, watcher)
    size = lab.memory() >> 20
    lab.say(f"{size} MiB")
    assert size < 2048
    watcher.end()
    lab.given_back(admin, fleet, load, first, keys)


def kills(admin, fleet, watcher):
    """Controller and agent are killed on the way to gear 1, then an awake OSD, and the controller while all wake."""
    rnd = random.Random(43)
    lab.parfleet("gear", "1")
    for name in ("controller", next(iter(fleet.agents)), "controller"):
        time.sleep(rnd.uniform(1, 6))
        fleet.kill(name)
    lab.wait_for("gear 1 after three kills", 120, lambda: len(lab.asleep()) == 6 and not admin.shifting())
    watcher.paused = True
    victim = lab.awake_osd(rnd)
    lab.kill_osd(victim)
    for _ in range(2):
        time.sleep(rnd.uniform(1, 6))
        fleet.kill("controller")
    lab.wait_for("all groups are awake after three more", 90, lambda: lab.asleep() == [] and not admin.shifting())
    lab.restart(victim)
    lab.wait_for("all PGs are clean", 90, admin.clean)


main()
