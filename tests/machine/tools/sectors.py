#!/usr/bin/python3
"""Write and count marked sectors, on a disk that may lose data.

  sectors.py write DEV TAG [FIRST COUNT] [--fua] [--io N]
        write TAG and its own number to every sector of the range, in requests of
        N sectors (64). Stops at the first error.
  sectors.py volley DEV TAG [FIRST COUNT] [--io N]
        the same, with all requests at once; prints the number of errors and of requests.
  sectors.py census DEV [FIRST COUNT]
        count the sectors of each tag: a line "TAG COUNT" for each, with "zero" for zeros and
        "odd" for sectors that no write has left complete; then "mixed COUNT", the number of
        4 KiB blocks with more than one of these.
  sectors.py pair DEV DEV
        write to both in turn, one after the other, until a write returns an error:
        then a write to the other device must return an error as well.

All requests bypass the page cache.
"""

import argparse
import collections
import concurrent.futures
import mmap
import os
import sys
import threading

SECTOR = 512
BLOCK = 8


def sector(tag, number):
    """The content of a sector: each part of it differs from that of any other sector."""
    text = f"{tag} {number}\n".encode()
    return (text * (SECTOR // len(text) + 1))[:SECTOR]


def who_wrote(data, number):
    if data == bytes(SECTOR):
        return "zero"
    tag = data.split(b" ", 1)[0].decode(errors="replace")
    return tag if data == sector(tag, number) else "odd"


def open_direct(path, flags=0):
    return os.open(path, os.O_RDWR | os.O_CREAT | os.O_DIRECT | flags)


def aligned(size):
    return mmap.mmap(-1, max(size, mmap.PAGESIZE))


def chunks(fd, args):
    """Pairs of first sector and count, of at most args.io sectors."""
    last = args.first + args.count if args.count else os.lseek(fd, 0, os.SEEK_END) // SECTOR
    for first in range(args.first, last, args.io):
        yield first, min(args.io, last - first)


def written_by(tag, first, count):
    buffer = aligned(count * SECTOR)
    buffer[: count * SECTOR] = b"".join(sector(tag, first + i) for i in range(count))
    return memoryview(buffer)[: count * SECTOR]


def write(args):
    fd = open_direct(args.dev, os.O_DSYNC if args.fua else 0)
    for first, count in chunks(fd, args):
        os.pwrite(fd, written_by(args.tag, first, count), first * SECTOR)


def volley(args):
    fd = open_direct(args.dev)
    todo = list(chunks(fd, args))
    ready = threading.Barrier(len(todo))

    def send(first, count):
        data = written_by(args.tag, first, count)
        ready.wait()
        os.pwrite(fd, data, first * SECTOR)

    with concurrent.futures.ThreadPoolExecutor(len(todo)) as threads:
        sent = [threads.submit(send, *chunk) for chunk in todo]
    erred = sum(isinstance(one.exception(), OSError) for one in sent)
    print(f"{erred} of {len(todo)} erred")


def census(args):
    fd = open_direct(args.dev)
    buffer = aligned(args.io * SECTOR)
    counts, mixed = collections.Counter(), 0
    for first, count in chunks(fd, args):
        os.preadv(fd, [memoryview(buffer)[: count * SECTOR]], first * SECTOR)
        tags = [
            who_wrote(buffer[i * SECTOR : (i + 1) * SECTOR], first + i) for i in range(count)
        ]
        counts.update(tags)
        mixed += sum(len(set(tags[i : i + BLOCK])) > 1 for i in range(0, count, BLOCK))
    for tag, number in sorted(counts.items()):
        print(tag, number)
    print("mixed", mixed)


def written(fd, buffer):
    try:
        os.pwrite(fd, buffer, 0)
        return True
    except OSError:
        return False


def pair(args):
    fds = [open_direct(args.dev), open_direct(args.other)]
    buffer = aligned(4096)
    turns = 0
    while written(fds[turns % 2], buffer):
        turns += 1
    if written(fds[1 - turns % 2], buffer):
        sys.exit(f"{turns} writes: one disk has no power, the other still writes")
    print(turns)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    commands = parser.add_subparsers(required=True)
    for function in (write, volley, census, pair):
        command = commands.add_parser(function.__name__)
        command.set_defaults(run=function)
        command.add_argument("dev")
        if function is pair:
            command.add_argument("other")
            continue
        if function in (write, volley):
            command.add_argument("tag")
        if function is write:
            command.add_argument("--fua", action="store_true")
        command.add_argument("first", type=int, nargs="?", default=0)
        command.add_argument("count", type=int, nargs="?")
        command.add_argument("--io", type=int, default=64, help="sectors a request")
    args = parser.parse_args()
    try:
        args.run(args)
    except OSError as error:
        sys.exit(f"{args.dev}: {error.strerror}")


main()
