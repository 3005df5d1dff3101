#!/usr/bin/python3
"""Allocate memory and keep using it, so that a part of it has to be swapped out.

  hog.py --mib N --seconds S [--seed SEED]

Every page has its number and a count. Each page is read before its count is increased. Exits
with 1 at the first page whose content has changed otherwise.
"""
import argparse
import array
import mmap
import random
import struct
import sys
import time

STAMP = struct.Struct("<QQ")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--mib", type=int, required=True)
    parser.add_argument("--seconds", type=float, required=True)
    parser.add_argument("--seed", type=int, default=1)
    args = parser.parse_args()

    pages = args.mib * 256
    memory = mmap.mmap(-1, pages * mmap.PAGESIZE, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
    times = array.array("Q", bytes(8 * pages))
    rng = random.Random(args.seed)
    # What cannot be compressed or merged: each page its own noise.
    noise = rng.randbytes(mmap.PAGESIZE * 2)
    for page in range(pages):
        at = page * mmap.PAGESIZE
        memory[at:at + mmap.PAGESIZE] = noise[page % mmap.PAGESIZE:][:mmap.PAGESIZE]
        STAMP.pack_into(memory, at, page, 0)
    end = time.monotonic() + args.seconds
    looked = 0
    # The clock is asked rarely: what never enters the kernel is the harder to unmap.
    while looked % 256 or time.monotonic() < end:
        page = rng.randrange(pages)
        at = page * mmap.PAGESIZE
        if (STAMP.unpack_from(memory, at) != (page, times[page]) or
                memory[at + STAMP.size:at + mmap.PAGESIZE] !=
                noise[page % mmap.PAGESIZE:][STAMP.size:mmap.PAGESIZE]):
            sys.exit(f"page {page} is not what it was")
        times[page] += 1
        STAMP.pack_into(memory, at, page, times[page])
        looked += 1
    print(f"{pages} pages, {looked} looked at again")


if __name__ == "__main__":
    main()
