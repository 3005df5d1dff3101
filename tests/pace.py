# SPDX-License-Identifier: GPL-2.0
"""How much slower this machine is than the one where the time-outs of the tests were measured."""
import subprocess
import sys
import threading
import time

# Some computing and some processes, as a test machine has them; REFERENCE is what they take there, in
# seconds, in three processes on two processors.
WORK = """
import os, zlib
for _ in range(300):
    pid = os.fork()
    if pid == 0:
        os._exit(0)
    os.waitpid(pid, 0)
zlib.compress(bytes(range(256)) * 40000, 9)
"""
REFERENCE = 0.7


class Pace:
    """`slow` is at least 1. It grows when the machine turns out to be slower than it was at the start."""

    def __init__(self, jobs):
        self.jobs, self.slow = jobs, 1.0
        self.lock = threading.Lock()
        self.measure()

    def measure(self):
        start = time.monotonic()
        work = [subprocess.Popen([sys.executable, "-I", "-S", "-c", WORK]) for _ in range(self.jobs)]
        for process in work:
            process.wait()
        expected = REFERENCE * max(1, self.jobs / 3)
        self.slow = max(self.slow, (time.monotonic() - start) / expected)

    def whole(self):
        """For scripts, which have no fractions: RAIDPAR_SLOW."""
        return int(self.slow + 0.5)

    def is_over(self, seconds, limit):
        """Has something that may take `limit` seconds on a fast machine taken too long?"""
        if seconds <= limit * self.slow:
            return False
        with self.lock:
            self.measure()
        return seconds > limit * self.slow
