#!/usr/bin/python3 -B
# SPDX-License-Identifier: GPL-2.0
"""Write 4 KiB anywhere, as often as asked, and print how long the longest write took.

small_writes.py DEVICE END RATE WRITERS     RATE a second, by so many writers together, by chance, until the file END
                                            exists; prints ms
"""
import mmap
import os
import random
import sys
import threading
import time

BLOCK = 4096


def write(to, end, rate, seed, times):
    """Writes that are due while another one is under way follow it at once."""
    blocks = os.lseek(to, 0, os.SEEK_END) // BLOCK
    draw, block, due = random.Random(seed), mmap.mmap(-1, BLOCK), time.monotonic()
    while not os.path.exists(end):
        due += draw.expovariate(rate)
        time.sleep(max(0, due - time.monotonic()))
        began = time.monotonic()
        os.pwrite(to, block, draw.randrange(blocks) * BLOCK)
        times.append(time.monotonic() - began)


def main():
    """See above."""
    device, end, rate, writers = sys.argv[1], sys.argv[2], float(sys.argv[3]), int(sys.argv[4])
    to, times = os.open(device, os.O_RDWR | os.O_DIRECT), []
    threads = [threading.Thread(target=write, args=(to, end, rate / writers, seed, times))
               for seed in range(writers)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    print(int(max(times) * 1000))


main()
