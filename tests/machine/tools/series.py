#!/usr/bin/python3 -B
"""Print the requests of a load with phases, as a list of raid-tracer.

  series.py PLACES SPAN SEED FILES REQUESTS PHASE...

A phase is SECONDS:RATE:READS[:BYTES]: RATE requests a second at random times, READS percent
of them reads, each of 4 KiB or BYTES, to any of PLACES places of 64 KiB within the first SPAN
bytes. FILES gets the requests that write these places first, since reads of unwritten places
send no request to a disk of a par array.
"""
import math
import random
import sys

SECOND, PIECE, PAGE, SECTOR = 10 ** 9, 64 << 10, 4096, 512


def main():
    places, span = int(sys.argv[1]), int(sys.argv[2])
    chance = random.Random(int(sys.argv[3]))
    room = span // places // PIECE
    at = [(i * room + int(chance.random() * room)) * PIECE for i in range(places)]
    with open(sys.argv[4], "w", encoding="ascii") as file:
        for place in at:
            file.write(f"0 w {place // SECTOR} {PIECE}\n")
    now = start = 0.0
    with open(sys.argv[5], "w", encoding="ascii") as file:
        for phase in sys.argv[6:]:
            seconds, rate, reads, *size = map(float, phase.split(":"))
            pages = int(size[0] if size else PAGE) // PAGE
            now = start
            while rate and (now := now - math.log(1 - chance.random()) / rate) < start + seconds:
                op = "r" if chance.random() * 100 < reads else "w"
                page = at[int(chance.random() * places)] + int(chance.random() * (PIECE // PAGE + 1 - pages)) * PAGE
                file.write(f"{int(now * SECOND)} {op} {page // SECTOR} {pages * PAGE}\n")
            start += seconds


main()
