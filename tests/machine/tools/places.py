#!/usr/bin/python3 -B
# SPDX-License-Identifier: GPL-2.0
"""Write marked blocks at places all over a device, and check them.

  places.py DEVICE COUNT write|check TAG

write: write a block of 4 KiB with TAG to each of COUNT places, many at a time, and flush. check:
print the number of blocks that are not those that were written with TAG: "WRONG of COUNT wrong".
The places are the same each time.
"""
import concurrent.futures
import mmap
import os
import random
import sys

BLOCK = 4096
AT_ONCE = 64


def places(count, size):
    chance = random.Random(count)
    return [chance.randrange(size // BLOCK) * BLOCK for _ in range(count)]


def block(tag, place):
    page = mmap.mmap(-1, BLOCK)
    page.write(f"{tag} {place}\n".encode().ljust(BLOCK, b"."))
    return page


def main():
    device, count, what, tag = sys.argv[1:]
    file = os.open(device, os.O_RDWR | os.O_DIRECT)
    spots = places(int(count), os.lseek(file, 0, os.SEEK_END))

    def write(place):
        os.pwrite(file, block(tag, place), place)

    def is_wrong(place):
        page = mmap.mmap(-1, BLOCK)
        os.preadv(file, [page], place)
        return page[:] != block(tag, place)[:]

    with concurrent.futures.ThreadPoolExecutor(AT_ONCE) as pool:
        found = list(pool.map(write if what == "write" else is_wrong, spots))
    if what == "write":
        os.fsync(file)
    else:
        print(f"{sum(found)} of {count} wrong")


main()
