#!/usr/bin/env python3
"""Discard a range of which every eighth block is in the log, while the other blocks are read.

  log_discard.py DEVICE OFFSET LENGTH

The range has "H" at home. A read of a row makes the row stay. Of a row that has stayed, the log's blocks still have
"L"; others are zeros. Prints how many blocks have stayed at home, and how many of the log's have "H" again.
"""
import fcntl
import mmap
import os
import random
import struct
import sys
import threading

BLKDISCARD = 0x1277
BLOCK = 4096


def read(device, at, buffer):
    os.preadv(device, [buffer], at)
    return bytes(buffer[:1])


def read_until(stop, device, blocks):
    buffer = mmap.mmap(-1, BLOCK)
    while not stop.is_set():
        read(device, random.choice(blocks), buffer)


def main():
    device = os.open(sys.argv[1], os.O_RDWR | os.O_DIRECT)
    offset, length = int(sys.argv[2]), int(sys.argv[3])
    logged = range(offset, offset + length, 8 * BLOCK)
    home = [at for at in range(offset, offset + length, BLOCK) if at not in logged]
    buffer = mmap.mmap(-1, BLOCK)
    buffer.write(b"L" * BLOCK)
    for at in logged:
        os.pwrite(device, buffer, at)
    stop = threading.Event()
    readers = [threading.Thread(target=read_until, args=(stop, device, home)) for _ in range(4)]
    for reader in readers:
        reader.start()
    fcntl.ioctl(device, BLKDISCARD, struct.pack("=QQ", offset, length))
    stop.set()
    for reader in readers:
        reader.join()
    print(sum(read(device, at, buffer) == b"H" for at in home),
          sum(read(device, at, buffer) == b"H" for at in logged))


main()
