#!/usr/bin/python3
"""Read blocks again and again while they are written for the first time.

  first_reads.py DEVICE START STRIPE COUNT

COUNT times, from byte START on, one thread writes STRIPE bytes at a place that has never been
written, while others read it. A read must return zeros or the data that is being written:
anything else was on the disks before the array was created.
"""
import mmap
import os
import sys
import threading

BLOCK = 4096
READERS = 3
NEW = 0x5A


class Race:
    def __init__(self, path):
        self.fd = os.open(path, os.O_RDWR | os.O_DIRECT)
        self.reads = self.new = 0
        self.wrong = None
        self.done = False

    def read(self, start, blocks, turn):
        buffer = mmap.mmap(-1, BLOCK)
        at = turn
        while not self.done and not self.wrong:
            at = (at + 7) % blocks
            os.preadv(self.fd, [buffer], start + at * BLOCK)
            found = set(buffer[:])
            self.reads += 1
            self.new += found == {NEW}
            if found - {0, NEW}:
                self.wrong = (start + at * BLOCK, found - {0, NEW})

    def run(self, start, stripe):
        data = mmap.mmap(-1, stripe)
        data[:] = bytes([NEW]) * stripe
        self.done = False
        readers = [threading.Thread(target=self.read, args=(start, stripe // BLOCK, i * 5))
                   for i in range(READERS)]
        for reader in readers:
            reader.start()
        os.pwritev(self.fd, [data], start)
        # Acknowledged data must be there.
        buffer = mmap.mmap(-1, BLOCK)
        for at in range(0, stripe, 4 * BLOCK):
            os.preadv(self.fd, [buffer], start + at)
            if set(buffer[:]) != {NEW}:
                self.wrong = (start + at, set(buffer[:]))
        self.done = True
        for reader in readers:
            reader.join()


def main():
    path, start, stripe, count = sys.argv[1], *map(int, sys.argv[2:5])
    race = Race(path)
    for i in range(count):
        race.run(start + i * stripe, stripe)
        if race.wrong:
            sys.exit(f"byte {race.wrong[0]}: read {race.wrong[1]}, which was never written there")
    print(f"# {race.reads} reads, {race.new} of them of what was being written")
    return 0 if race.reads else "nothing was read"


if __name__ == "__main__":
    sys.exit(main())
