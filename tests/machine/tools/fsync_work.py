#!/usr/bin/python3
"""Write, replace, remove and fsync files at random, and mark in a log of writes
(dm-log-writes) what each fsync has made stable.

  fsync_work.py DIR --mark DM_NAME --seed N [--writers N] [--ops N] [--gears FILE]

Each writer has files of its own. A mark is valid until the next mark of the same file:

  open:FILE             from here on the file may have any state
  done:FILE:SHA         the file is on the disk with this content
  swap:FILE:SHA         the file is about to be replaced by a file with this content:
                        it has the old content or the new one
  gone:FILE             the removal of the file is on the disk

Meanwhile one process writes random gears into the sysfs file FILE. write_log.py compares the
files with the marks.
"""
import argparse
import hashlib
import os
import random
import signal
import subprocess
import sys
import time

FILES = 6           # of each writer
LARGEST = 256 << 10


class Writer:
    def __init__(self, options, number):
        self.dir = options.dir
        self.dm_name = options.mark
        self.ops = options.ops
        self.gears = options.gears
        self.number = number
        self.rng = random.Random(f"{options.seed}/{number}")
        self.exists = set()

    def mark(self, *words):
        subprocess.run(["dmsetup", "message", self.dm_name, "0", "mark", ":".join(words)],
                       check=True)

    def path(self, name):
        return os.path.join(self.dir, name)

    def sync_dir(self):
        fd = os.open(self.dir, os.O_RDONLY)
        os.fsync(fd)
        os.close(fd)

    def some_data(self):
        return self.rng.randbytes(self.rng.randint(1, LARGEST))

    def write(self, name):
        """Anywhere in it, or at its end, with or without a new length."""
        self.mark("open", name)
        fd = os.open(self.path(name), os.O_RDWR | os.O_CREAT)
        for _ in range(self.rng.randint(1, 3)):
            os.pwrite(fd, self.some_data(), self.rng.randrange(LARGEST))
        if self.rng.random() < 0.2:
            os.ftruncate(fd, self.rng.randrange(LARGEST))
        os.fsync(fd)
        if name not in self.exists:
            self.sync_dir()
        self.mark("done", name, hash_of(self.path(name)))
        os.close(fd)
        self.exists.add(name)

    def swap(self, name):
        new = self.path(name + ".new")
        fd = os.open(new, os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
        os.write(fd, self.some_data())
        os.fsync(fd)
        os.close(fd)
        sha = hash_of(new)
        self.mark("swap", name, sha)
        os.rename(new, self.path(name))
        self.sync_dir()
        self.mark("done", name, sha)
        self.exists.add(name)

    def remove(self, name):
        if name not in self.exists:
            return
        self.mark("open", name)
        os.unlink(self.path(name))
        self.sync_dir()
        self.mark("gone", name)
        self.exists.remove(name)

    def noise(self, name):
        """A write without fsync."""
        with open(self.path(f"noise-{name}"), "ab") as file:
            file.write(self.some_data())

    def shifts_wanted(self):
        """Are there fewer than two shifts so far? Their number depends on the speed of the machine."""
        if not self.gears:
            return False
        return int(read_word(os.path.join(os.path.dirname(self.gears), "shifts"))) < 2

    def run(self):
        calls = [self.write] * 4 + [self.swap] * 2 + [self.remove, self.noise]
        while self.ops > 0 or self.shifts_wanted():
            self.ops -= 1
            self.rng.choice(calls)(f"{self.number}-{self.rng.randrange(FILES)}")


def hash_of(path):
    with open(path, "rb") as file:
        return hashlib.sha1(file.read()).hexdigest()


def read_word(path):
    with open(path, encoding="ascii") as file:
        return file.read().strip()


def shift_at_random(path, seed):
    """Request shifts: most of them complete, some are interrupted by the next one."""
    rng = random.Random(f"{seed}/gears")
    gears = read_word(os.path.join(os.path.dirname(path), "gears")).split()
    while True:
        now = read_word(path)
        want = rng.choice([gear for gear in gears if gear != now])
        with open(path, "w", encoding="ascii") as file:
            file.write(want)
        until = time.monotonic() + rng.choice([0.05, 5, 5])
        while read_word(path) != want and time.monotonic() < until:
            time.sleep(0.02)


def in_child(function, *args):
    pid = os.fork()
    if pid:
        return pid
    try:
        function(*args)
        os._exit(0)
    except Exception as error:  # pylint: disable=broad-except
        print(f"fsync_work: {error}", file=sys.stderr, flush=True)
        os._exit(1)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("dir")
    parser.add_argument("--mark", required=True, metavar="DM_NAME")
    parser.add_argument("--seed", type=int, required=True)
    parser.add_argument("--writers", type=int, default=3)
    parser.add_argument("--ops", type=int, default=25)
    parser.add_argument("--gears", metavar="FILE", help="shift by writing to this file")
    options = parser.parse_args()
    shifter = in_child(shift_at_random, options.gears, options.seed) if options.gears else 0
    writers = [in_child(Writer(options, number).run) for number in range(options.writers)]
    failed = sum(os.waitpid(pid, 0)[1] != 0 for pid in writers)
    if shifter:
        os.kill(shifter, signal.SIGTERM)
        failed += os.waitpid(shifter, 0)[1] != signal.SIGTERM
    sys.exit(failed > 0)


main()
