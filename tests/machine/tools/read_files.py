#!/usr/bin/python3
"""Read all files below directories again and again, on every CPU at once.

  read_files.py --until FILE PATH...

A process on each CPU reads every readable file below each PATH, and lists the
directories again in each round, until FILE exists. A file may disappear meanwhile,
or return one of the errors in MAY for a while. The content of the files of a par
array must be well formed. Prints the number of rounds of each CPU.
"""
import argparse
import errno
import os
import re
import stat
import sys

# The file has been removed, is being removed, or is not available at the moment.
MAY = {errno.ENOENT, errno.ENODEV, errno.EBUSY, errno.EAGAIN, errno.EINTR, errno.ENXIO}
# Of md itself: it has no bitmap, or no journal, to tell of.
MAY |= {errno.EINVAL, errno.EIO, errno.EACCES, errno.EOPNOTSUPP}
WELL_FORMED = {
    "par/gear": r"\d+",
    "par/gears": r"\d+( \d+)+",
    "par/shift_last_hold_ms": r"\d+",
    "par/scrub_age": r"\d+",
    "par/scrub_last": r"(\d+ \d+\n?)+",
    "par/shift_limit": r"\d+",
    "par/shift_target": r"\d+",
    "par/shift_state": r"idle|down|up|propagate",
    "par/shift_progress": r"none|\d+ / \d+",
    "par/rows_written": r"\d+",
    "md/degraded": r"\d+",
}


class Nonsense(Exception):
    pass


def files_below(path):
    if not os.path.isdir(path):
        yield path
    for directory, _, names in os.walk(path):
        for name in names:
            yield os.path.join(directory, name)


def read_one(path):
    try:
        if not os.stat(path).st_mode & stat.S_IRUSR:
            return
        with open(path, "rb", buffering=0) as file:
            text = file.read(1 << 16).decode(errors="replace")
    except OSError as error:
        if error.errno not in MAY:
            raise
        return
    wanted = WELL_FORMED.get("/".join(path.split("/")[-2:]))
    if wanted and not re.fullmatch(f"({wanted})\n", text):
        raise Nonsense(f"{path} says {text!r}")


def read_until(flag, cpu, paths):
    os.sched_setaffinity(0, [cpu])
    rounds = 0
    while not os.path.exists(flag):
        for path in paths:
            for file in files_below(path):
                read_one(file)
        rounds += 1
    print(f"CPU {cpu}: {rounds} rounds", flush=True)


def on_each_cpu(work):
    children = []
    for cpu in sorted(os.sched_getaffinity(0)):
        pid = os.fork()
        if not pid:
            try:
                work(cpu)
                os._exit(0)
            except (Nonsense, OSError) as error:
                print(f"read_files: {error}", file=sys.stderr, flush=True)
                os._exit(1)
        children.append(pid)
    return [os.waitpid(pid, 0)[1] for pid in children]


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("paths", metavar="PATH", nargs="+")
    parser.add_argument("--until", metavar="FILE", required=True)
    options = parser.parse_args()
    return 1 if any(on_each_cpu(lambda cpu: read_until(options.until, cpu, options.paths))) else 0


if __name__ == "__main__":
    sys.exit(main())
