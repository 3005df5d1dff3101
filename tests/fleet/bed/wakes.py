# SPDX-License-Identifier: GPL-2.0
"""Which requests of clients wake dozing disks, in numbers: see cluster-wakes.sh."""
import os
import random
import time

import rados
import rbd

import lab

OBJECT = 4 << 20
RND = random.Random(3)


class Clients:
    """Each method is one kind of request; its first line is what the table says."""

    def __init__(self, cluster):
        self.io = cluster.open_ioctx("data")
        for number in range(40):
            self.io.write_full(f"w{number}", os.urandom(OBJECT // 4))
        rbd.RBD().create(self.io, "disk", 64 << 20)
        self.image = rbd.Image(self.io, "disk")
        for at in range(0, 64 << 20, OBJECT):
            self.image.write(os.urandom(OBJECT), at)
        self.image.flush()

    def librados_new(self):
        """librados: 20 new objects of 64 KiB"""
        for number in range(20):
            self.io.write_full(f"n{number}", os.urandom(65536))

    def librados_aligned(self):
        """librados: 40 overwrites of 4 KiB, aligned"""
        for number in range(40):
            self.io.write(f"w{number}", os.urandom(4096), RND.randrange(0, 256) * 4096)

    def librados_keys(self):
        """librados: 20 xattrs, 20 omap keys"""
        for number in range(20):
            self.io.set_xattr(f"w{number}", "user.x", b"1")
            with rados.WriteOpCtx() as op:
                self.io.set_omap(op, ("k",), (b"v",))
                self.io.operate_write_op(op, f"w{number}")

    def librados_delete(self):
        """librados: 20 objects deleted"""
        for number in range(20):
            self.io.remove_object(f"n{number}")

    def rbd_4k(self):
        """RBD: 200 writes of 4 KiB at random, as a file system with such blocks sends them"""
        for _ in range(200):
            self.image.write(os.urandom(4096), RND.randrange(0, 64 << 8) * 4096)
        self.image.flush()

    def rbd_stream(self):
        """RBD: 16 MiB in writes of 64 KiB"""
        for at in range(0, 16 << 20, 65536):
            self.image.write(os.urandom(65536), at)
        self.image.flush()

    def rbd_discard(self):
        """RBD: 8 MiB discarded"""
        self.image.discard(32 << 20, 8 << 20)

    def rbd_snapshot(self):
        """RBD: a snapshot, then 50 writes of 4 KiB"""
        self.image.create_snap("s")
        for _ in range(50):
            self.image.write(os.urandom(4096), RND.randrange(0, 64 << 8) * 4096)
        self.image.flush()

    def librados_append(self):
        """librados: 20 appends of 100 bytes, twice each"""
        for number in [*range(20), *range(20)]:
            self.io.append(f"w{number}", b"x" * 100)

    def rbd_512(self):
        """RBD: 20 writes of 512 bytes, as a guest with such sectors may send them"""
        for _ in range(20):
            self.image.write(os.urandom(512), RND.randrange(0, 64 << 11) * 512)
        self.image.flush()


ALIGNED = "librados_new librados_aligned librados_keys librados_delete rbd_4k rbd_stream".split()
# Figures only: a discard has started one of six disks once; what is not aligned starts none while its block is cached.
OTHERS = "rbd_discard rbd_snapshot librados_append rbd_512".split()


def main():
    admin = lab.Admin()
    lab.lay_out(admin)
    keys, first = admin.mon("auth ls"), lab.kept(admin)
    lab.configure()
    fleet, load = lab.Fleet(lab.make_keys()), lab.Load()
    clients = Clients(load.cluster)
    load.pause = 1e9
    woken = {}
    for kind in ALIGNED + OTHERS:
        lab.reach(admin, 1)
        sleepers = lab.asleep()
        before = {osd: lab.DISKS.get(osd) for osd in sleepers}
        getattr(clients, kind)()
        time.sleep(3)
        changed = {field: sum(lab.DISKS.get(osd)[field] - before[osd][field] for osd in sleepers)
                   for field in ("reads", "writes", "wakes")}
        woken[kind] = changed["wakes"]
        lab.say(f"  {getattr(clients, kind).__doc__}: " + ", ".join(f"{n} {field}" for field, n in changed.items()))
    assert all(woken[kind] == 0 for kind in ALIGNED), woken
    clients.image.close()
    load.pause = 0.15
    lab.given_back(admin, fleet, load, first, keys)


main()
