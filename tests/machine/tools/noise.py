#!/usr/bin/python3
"""Write 4 KiB of random data for each line "NUMBER SECTOR" of stdin, past the page cache: to
that sector of device NUMBER, the first device being number 0.

  dissect.py --parity N DEVICE... | noise.py DEVICE...
"""
import mmap
import os
import sys

SECTOR = 512
NOISE = 4096


def main():
    fds = [os.open(dev, os.O_WRONLY | os.O_DIRECT) for dev in sys.argv[1:]]
    buffer = mmap.mmap(-1, NOISE)   # aligned, as O_DIRECT wants it
    for line in sys.stdin:
        number, sector = map(int, line.split())
        buffer[:] = os.urandom(NOISE)
        os.pwrite(fds[number], buffer, sector * SECTOR)


if __name__ == "__main__":
    main()
