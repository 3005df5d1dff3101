#!/usr/bin/python3
"""Replay a log of dm-log-writes onto another device, step by step.

  write_log.py LOG TARGET [--after MARK] [--points N|all] [--seed N]

Takes commands, a line each, and answers each by a line:

  next          replay up to and with the next flush or FUA write of a seeded
                sample of N (40) after the mark, or of all; after the last one, replay
                the rest. Answers "point ENTRY", or at the end "end N of ALL": the
                numbers of chosen and of all flushes.
  verify DIR    DIR is a file system as of this point: compare its files with the
                marks of fsync_work.py up to this point. Answers "ok N" with the
                number of files that had to be right, or "bad WHAT".

The log: a sector with the magic number, version, number of entries and sector
size; then for each entry a sector with its place, length, flags and length of
a mark, which follows in that sector, and then the data unless it is a discard.
"""
import argparse
import collections
import hashlib
import mmap
import os
import random
import struct
import sys

MAGIC = 0x6A736677736872
FLUSH, FUA, DISCARD, MARK = 1, 2, 4, 8
SUPER = struct.Struct("<QQQI")
HEAD = struct.Struct("<QQQQ")
CHUNK = 1 << 20

Entry = collections.namedtuple("Entry", "sector count flags mark offset")


class Log:
    def __init__(self, path):
        self.fd = os.open(path, os.O_RDONLY)
        magic, version, self.count, self.sector_size = SUPER.unpack(
            os.pread(self.fd, SUPER.size, 0))
        if magic != MAGIC or version != 1:
            sys.exit(f"{path}: no log of writes")

    def entries(self):
        offset = self.sector_size
        for _ in range(self.count):
            head = os.pread(self.fd, self.sector_size, offset)
            sector, count, flags, length = HEAD.unpack(head[:HEAD.size])
            mark = head[HEAD.size:HEAD.size + length].decode() if flags & MARK else None
            offset += self.sector_size
            yield Entry(sector, count, flags, mark, offset)
            if not flags & DISCARD:
                offset += count * self.sector_size

    def data(self, entry):
        """Pairs of place and data, in pieces."""
        size = entry.count * self.sector_size
        for done in range(0, size, CHUNK):
            piece = os.pread(self.fd, min(CHUNK, size - done), entry.offset + done)
            yield entry.sector * self.sector_size + done, piece


class Promises:
    """For each file with a mark, its possible states."""

    def __init__(self):
        self.allowed = {}

    def hear(self, mark):
        word, _, rest = mark.partition(":")
        name, _, sha = rest.partition(":")
        if word == "open":
            self.allowed.pop(name, None)
        elif word == "done":
            self.allowed[name] = {sha}
        elif word == "gone":
            self.allowed[name] = {None}
        elif word == "swap" and name in self.allowed:
            self.allowed[name] = self.allowed[name] | {sha}

    def verify(self, directory):
        for name, allowed in sorted(self.allowed.items()):
            state = state_of(os.path.join(directory, name))
            if state not in allowed:
                return f"bad {name} is {state}, not {' or '.join(map(str, allowed))}"
        return f"ok {len(self.allowed)}"


def state_of(path):
    try:
        with open(path, "rb") as file:
            return hashlib.sha1(file.read()).hexdigest()
    except FileNotFoundError:
        return None


class Replay:
    def __init__(self, options):
        self.log = Log(options.log)
        self.all = list(self.log.entries())
        self.done = 0
        self.promises = Promises()
        self.target = os.open(options.target, os.O_RDWR | os.O_DIRECT)
        self.buffer = mmap.mmap(-1, CHUNK)
        self.stops = self.choose_stops(options)

    def choose_stops(self, options):
        """The numbers of entries to replay, for each stop."""
        first = 0
        if options.after:
            first = next((i for i, entry in enumerate(self.all) if entry.mark == options.after),
                         None)
            if first is None:
                sys.exit(f"no mark {options.after} in the log")
        points = [i + 1 for i in range(first, len(self.all)) if self.all[i].flags & (FLUSH | FUA)]
        if options.points != "all":
            rng = random.Random(options.seed)
            chosen = sorted(rng.sample(points, min(int(options.points), len(points))))
        else:
            chosen = points
        self.chosen = f"{len(chosen)} of {len(points)}"
        return chosen + [len(self.all)]

    def put(self, entry):
        if entry.mark:
            self.promises.hear(entry.mark)
        if entry.flags & (MARK | DISCARD):
            return
        for place, piece in self.log.data(entry):
            self.buffer[:len(piece)] = piece
            os.pwrite(self.target, memoryview(self.buffer)[:len(piece)], place)

    def next(self):
        if not self.stops:
            return f"end {self.chosen}"
        stop = self.stops.pop(0)
        while self.done < stop:
            self.put(self.all[self.done])
            self.done += 1
        os.fsync(self.target)
        return f"point {self.done}"

    def serve(self, lines):
        for line in lines:
            command, _, argument = line.strip().partition(" ")
            answer = self.next() if command == "next" else self.promises.verify(argument)
            print(answer, flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("log")
    parser.add_argument("target")
    parser.add_argument("--after", metavar="MARK", help="no stop before this mark")
    parser.add_argument("--points", metavar="N|all", default=40)
    parser.add_argument("--seed", type=int, default=0)
    Replay(parser.parse_args()).serve(sys.stdin)


main()
