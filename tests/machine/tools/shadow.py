#!/usr/bin/python3
"""Random requests to a block device against a shadow copy in memory.

  shadow.py DEVICE --seed N [--ops N | --until FILE] [--writers N] [--mib N]
            [--buffered] [--gears FILE] [--save FILE]
  shadow.py DEVICE --check FILE

Each writer owns pieces of the device, of random sizes and at random places, next
to those of other writers. It sends reads and writes (also vectored ones), discards
and flushes of any size and alignment to them. Meanwhile one process writes random
gears into the sysfs file FILE. At the end everything is read again.

A read of a discarded sector may return zeros or its old content, and nothing else.
--save keeps the shadow for a later --check.
"""
import argparse
import ctypes
import fcntl
import mmap
import os
import random
import struct
import sys
import time

SECTOR = 512  # or the device's
LARGEST = 4 << 20
BLKDISCARD = 0x1277
BLKGETSIZE64 = 0x80081272
BLKSSZGET = 0x1268
OPS = ["write"] * 9 + ["writev"] * 3 + ["zero"] + ["read"] * 6 + ["readv"] * 2 \
    + ["discard"] * 2 + ["flush"] * 2


class Mismatch(Exception):
    pass


def open_device(path, buffered=False):
    return os.open(path, os.O_RDWR | (0 if buffered else os.O_DIRECT))


def use_sectors_of(fd):
    global SECTOR
    SECTOR = struct.unpack("I", fcntl.ioctl(fd, BLKSSZGET, bytes(4)))[0]


def device_size(fd):
    return struct.unpack("Q", fcntl.ioctl(fd, BLKGETSIZE64, bytes(8)))[0]


def keep_memory():
    """Keep freed memory: page faults take most of the time in a test machine."""
    libc = ctypes.CDLL(None)
    libc.mallopt(-1, 1 << 30)  # M_TRIM_THRESHOLD
    libc.mallopt(-3, 1 << 30)  # M_MMAP_THRESHOLD


class Shadow:
    """The bytes each sector should have, and whether it may be zeros instead."""

    def __init__(self, size):
        self.data = mmap.mmap(-1, size)
        self.loose = mmap.mmap(-1, size // SECTOR)

    def wrote(self, at, data):
        self.data[at:at + len(data)] = data
        self.loose[at // SECTOR:(at + len(data)) // SECTOR] = bytes(len(data) // SECTOR)

    def discarded(self, at, size):
        self.loose[at // SECTOR:(at + size) // SECTOR] = b"\1" * (size // SECTOR)

    def compare(self, at, got):
        if bytes(self.data[at:at + len(got)]) == got:
            return
        zeros = bytes(SECTOR)
        for i in range(0, len(got), SECTOR):
            have, want = got[i:i + SECTOR], bytes(self.data[at + i:at + i + SECTOR])
            loose = self.loose[(at + i) // SECTOR]
            if have != want and not (loose and have == zeros):
                raise Mismatch(f"sector {(at + i) // SECTOR} holds {describe(have)}, "
                               f"should be {describe(want)}{' or zeros' if loose else ''}")

    def save(self, path):
        with open(path, "wb") as file:
            file.write(self.data)
            file.write(self.loose)

    @classmethod
    def load(cls, path):
        with open(path, "rb") as file:
            size = os.fstat(file.fileno()).st_size * SECTOR // (SECTOR + 1)
            shadow = cls.__new__(cls)
            text = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
        shadow.data = memoryview(text)[:size]
        shadow.loose = memoryview(text)[size:]
        return shadow

    def base(self, fd):
        """Check that the content is the expected one."""
        for at, area in walk(fd, len(self.data)):
            self.data[at:at + len(area)] = area

    def check(self, fd):
        for at, area in walk(fd, len(self.data)):
            self.compare(at, area)


def walk(fd, size, step=1 << 20):
    buffer = memoryview(mmap.mmap(-1, step))
    for at in range(0, size, step):
        area = buffer[:min(step, size - at)]
        if os.preadv(fd, [area], at) != len(area):
            raise Mismatch(f"short read at {at}")
        yield at, bytes(area)


TAG = struct.Struct("<4sIIQ")


def stamped(writer, op, at, size, rng):
    """Data of which each sector has its writer, its time and its place."""
    filler = rng.randbytes(SECTOR - TAG.size)
    first = at // SECTOR
    return b"".join(TAG.pack(b"shdw", writer, op, first + i) + filler
                    for i in range(size // SECTOR))


def describe(sector):
    if not any(sector):
        return "zeros"
    magic, writer, op, number = TAG.unpack_from(sector)
    if magic != b"shdw":
        return "garbage " + sector[:16].hex()
    return f"sector {number} of op {op} of writer {writer}"


def parts_of(view, rng):
    """The same memory as a few vectors, each of whole sectors."""
    parts, at = [], 0
    while at < len(view):
        size = min(len(view) - at, SECTOR * rng.choice([1, 3, 8, 13, 64, 700]))
        if len(parts) > 200:
            size = len(view) - at
        parts.append(view[at:at + size])
        at += size
    return parts


def random_size(rng, most):
    """A random size: small ones are as likely as large ones, odd ones as likely as round ones."""
    size = SECTOR << rng.randrange((LARGEST // SECTOR).bit_length())
    if rng.random() < .5:
        size = rng.randrange(1, size // SECTOR + 1) * SECTOR
    return min(size, most, LARGEST)


class Writer:
    def __init__(self, number, fd, shadow, pieces, options):
        self.number, self.fd, self.shadow, self.pieces = number, fd, shadow, pieces
        self.buffered = options.buffered
        self.until = options.until
        self.rng = random.Random(f"{options.seed}/{number}")
        self.weights = [end - start for start, end in pieces]

    def turns(self, ops):
        """The numbers of the writer's operations, until it has to end."""
        op = 0
        while not os.path.exists(self.until) if self.until else op < ops:
            op += 1
            yield op

    def run(self, ops):
        self.buffer = memoryview(mmap.mmap(-1, LARGEST))
        for op in self.turns(ops):
            kind = self.rng.choice(OPS)
            start, end = self.rng.choices(self.pieces, self.weights)[0]
            size = random_size(self.rng, end - start)
            if kind == "discard" and self.rng.random() < .5:
                size = end - start  # only whole stripes are given back
            at = start + self.rng.randrange((end - start - size) // SECTOR + 1) * SECTOR
            try:
                self.one(kind, op, at, size)
            except (Mismatch, OSError) as error:
                raise Mismatch(f"op {op} of writer {self.number}, {kind} of {size} "
                               f"at {at}: {error}") from error

    def one(self, kind, op, at, size):
        if kind == "flush":
            os.fsync(self.fd)
        elif kind == "discard":
            if self.buffered:
                os.fsync(self.fd)  # or else it held what was there even before
            fcntl.ioctl(self.fd, BLKDISCARD, struct.pack("QQ", at, size))
            self.shadow.discarded(at, size)
        elif kind in ("read", "readv"):
            self.read(kind, at, size)
        else:
            data = bytes(size) if kind == "zero" else stamped(self.number, op, at, size, self.rng)
            area = self.buffer[:size]
            area[:] = data
            parts = parts_of(area, self.rng) if kind == "writev" else [area]
            if os.pwritev(self.fd, parts, at) != size:
                raise Mismatch("short write")
            self.shadow.wrote(at, data)

    def read(self, kind, at, size):
        area = self.buffer[:size]
        parts = parts_of(area, self.rng) if kind == "readv" else [area]
        if os.preadv(self.fd, parts, at) != size:
            raise Mismatch("short read")
        self.shadow.compare(at, bytes(area))


def deal_pieces(size, writers, rng):
    """Assign each sector to one writer, in pieces of random sizes up to 16,384 sectors."""
    hands, at = [[] for _ in range(writers)], 0
    while at < size:
        piece = SECTOR * rng.randrange(1, 8 << rng.randrange(12))
        end = min(at + piece, size)
        rng.choice(hands).append((at, end))
        at = end
    for hand in hands:
        if not hand:  # two writers must not share a sector: half of the largest piece
            giver = max(hands, key=lambda h: max((end - start for start, end in h), default=0))
            start, end = max(giver, key=lambda piece: piece[1] - piece[0])
            middle = start + (end - start) // SECTOR // 2 * SECTOR
            giver[giver.index((start, end))] = (start, middle)
            hand.append((middle, end))
    return hands


def shift_at_random(path, seed):
    rng = random.Random(f"{seed}/gears")
    with open(os.path.join(os.path.dirname(path), "gears"), encoding="ascii") as file:
        gears = file.read().split()
    while True:
        with open(path, "w", encoding="ascii") as file:
            file.write(rng.choice(gears))
        time.sleep(rng.choice([.01, .1, .5, 1.5]))


def in_child(work):
    """Run work in a process that ends with its parent; its status is the result."""
    pid = os.fork()
    if pid:
        return pid
    ctypes.CDLL(None).prctl(1, 9)  # PR_SET_PDEATHSIG, SIGKILL
    status = 1
    try:
        work()
        status = 0
    except (Mismatch, OSError) as error:
        print(f"shadow: {error}", file=sys.stderr, flush=True)
    finally:
        os._exit(status)


def run(options):
    fd = open_device(options.device, options.buffered)
    use_sectors_of(fd)
    size = min(device_size(fd), options.mib << 20)
    shadow = Shadow(size)
    shadow.base(fd)
    hands = deal_pieces(size, options.writers, random.Random(options.seed))
    shifter = in_child(lambda: shift_at_random(options.gears, options.seed)) if options.gears else 0
    writers = [Writer(i, fd, shadow, hand, options) for i, hand in enumerate(hands)]
    pids = [in_child(lambda w=w: w.run(options.ops)) for w in writers]
    failed = [pid for pid in pids if os.waitpid(pid, 0)[1]]
    if shifter:
        os.kill(shifter, 9)
        os.waitpid(shifter, 0)
    if failed:
        raise Mismatch("a writer failed")
    shadow.check(fd)
    if options.save:
        shadow.save(options.save)


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("device")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--ops", type=int, default=200, help="of each writer")
    parser.add_argument("--until", metavar="FILE", help="go on until it exists")
    parser.add_argument("--writers", type=int, default=3)
    parser.add_argument("--mib", type=int, default=1 << 20, help="only the first so many MiB")
    parser.add_argument("--buffered", action="store_true", help="through the page cache")
    parser.add_argument("--gears", metavar="FILE", help="shift by writing to this file")
    parser.add_argument("--save", metavar="FILE")
    parser.add_argument("--check", metavar="FILE")
    options = parser.parse_args()
    keep_memory()
    try:
        if options.check:
            fd = open_device(options.device)
            use_sectors_of(fd)
            Shadow.load(options.check).check(fd)
        else:
            run(options)
    except (Mismatch, OSError) as error:
        print(f"shadow: seed {options.seed}, {options.device}: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
