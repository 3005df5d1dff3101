#!/usr/bin/env python3
"""Make overlapping writes by several threads, and check their result.

  log_pairs.py write DEVICE FILE SEED COUNT
  log_pairs.py check DEVICE FILE

Each thread makes COUNT writes of 512 bytes to 2 MiB, at any sector of the first 6 MiB, and at the end everything is
flushed. FILE records the beginning and the end of each write, by one counter. If a write of a sector ended before
another write of it began, the sector must not have the older one: check tests this, and that each sector is complete.
"""
import itertools
import json
import mmap
import os
import random
import struct
import sys
import threading

SECTOR = 512
SECTORS = 6 << 11
SIZES = (1, 1, 1, 3, 7, 8, 8, 16, 24, 64, 130, 1025, 2048, 4096)
THREADS = 3


def content(number, sector):
    return struct.pack("<2Q", number, sector) * (SECTOR // 16)


def write_all(device, seed, count):
    clock, writes = itertools.count(), {}
    to = os.open(device, os.O_RDWR | os.O_DIRECT)

    def thread(which):
        rnd = random.Random(f"{seed} {which}")
        buffer = mmap.mmap(-1, max(SIZES) * SECTOR)
        for i in range(count):
            sectors = rnd.choice(SIZES)
            at = rnd.randrange(SECTORS - sectors) if rnd.random() < 0.3 else rnd.randrange(256)
            number = (which + 1) * 1000000 + i
            buffer.seek(0)
            for sector in range(at, at + sectors):
                buffer.write(content(number, sector))
            began = next(clock)
            got = os.pwrite(to, memoryview(buffer)[:sectors * SECTOR], at * SECTOR)
            assert got == sectors * SECTOR
            writes[number] = [at, sectors, began, next(clock)]

    threads = [threading.Thread(target=thread, args=(which,)) for which in range(THREADS)]
    for one in threads:
        one.start()
    for one in threads:
        one.join()
    os.fdatasync(to)
    return writes


def check(device, writes):
    """For each sector the last beginning of a write: the write that is found must not have ended before it."""
    began = [None] * SECTORS
    for at, sectors, begin, _ in writes.values():
        for sector in range(at, at + sectors):
            began[sector] = max(begin, began[sector] or 0)
    overlaps = 0
    with open(device, "rb", buffering=0) as file:
        for sector in range(SECTORS):
            data = file.read(SECTOR)
            if began[sector] is None:
                continue
            number = struct.unpack_from("<Q", data)[0]
            if str(number) not in writes or data != content(number, sector):
                return f"sector {sector}: {data[:32].hex()}… is none of its writes"
            at, sectors, begin, end = writes[str(number)]
            if not at <= sector < at + sectors:
                return f"sector {sector} has write {number} of sectors {at} to {at + sectors - 1}"
            if end < began[sector]:
                return f"sector {sector} has write {number}, which ended before another began"
            overlaps += begin != began[sector]
    print(f"# {overlaps} sectors with another write than the one that began last")
    return None


def main():
    what, device, path = sys.argv[1:4]
    if what == "write":
        writes = write_all(device, sys.argv[4], int(sys.argv[5]))
        with open(path, "w", encoding="ascii") as file:
            json.dump(writes, file)
        return 0
    with open(path, encoding="ascii") as file:
        wrong = check(device, json.load(file))
    if wrong:
        print(f"log_pairs: {wrong}", file=sys.stderr)
    return 1 if wrong else 0


sys.exit(main())
