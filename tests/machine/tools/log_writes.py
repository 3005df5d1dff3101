#!/usr/bin/env python3
"""Random writes of 512 bytes to 32 KiB, or up to 1020 KiB, within the first 8 MiB of a device, and the same to a file.

  log_writes.py DEVICE FILE SEED COUNT [large]
"""
import mmap
import os
import random
import sys


def main():
    device, twin, seed, count = sys.argv[1:5]
    sizes = (1, 1, 3, 8, 8, 8, 16, 64) + ((500, 1024, 2040) if sys.argv[5:] else ())
    rnd = random.Random(int(seed))
    to = os.open(device, os.O_RDWR | os.O_DIRECT)
    beside = os.open(twin, os.O_RDWR)
    buffer = mmap.mmap(-1, 1 << 20)
    for _ in range(int(count)):
        sectors = rnd.choice(sizes)
        at = rnd.randrange(16384 - sectors)
        if rnd.random() < 0.5:
            at -= at % 8
        data = rnd.randbytes(sectors * 512)
        buffer.seek(0)
        buffer.write(data)
        os.pwrite(to, memoryview(buffer)[:sectors * 512], at * 512)
        os.pwrite(beside, data, at * 512)


main()
