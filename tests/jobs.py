# SPDX-License-Identifier: GPL-2.0
"""What tests/run starts at a time: a test, or several cases that share a machine."""
import itertools
import os
import shutil
import signal
import subprocess
import time

from catalogue import SLACK, TOP

LOGS = TOP / "build" / "test-logs"
GRACE = 60  # time for the machine to start, and to report why it was killed
DIED = 99   # the status of tests/machine/run for that
GOOD = (0, 77, 69)  # passed, skipped, unavailable
# So many cases share a machine, and their time-outs together are at most so long.
CASES, SECONDS = 10, 2000 * SLACK
ENDS = 60   # so many lines of a machine's kernel log are shown if a test was killed


def log_of(test):
    return LOGS / (test.name.replace("/", "-") + ".log")


def start(command, log, pace, **more):
    env = dict(os.environ, RAIDPAR_SLOW=str(pace.whole()), **more)
    return subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=log, stderr=subprocess.STDOUT,
                            cwd=TOP, env=env, start_new_session=True)


def kill(child):
    os.killpg(child.pid, signal.SIGTERM)
    time.sleep(2)
    try:
        os.killpg(child.pid, signal.SIGKILL)
    except ProcessLookupError:
        pass
    child.wait()


class Job:
    """A test by itself."""

    def __init__(self, tests):
        self.tests = tests
        self.first = tests[0]
        self.alone = self.first.alone
        self.timeout = sum(test.timeout for test in tests)

    def needs(self):
        return [need for test in self.tests for need in test.needs()]

    def cannot_do_without(self):
        return self.first.cannot_do_without()

    def memory(self):
        return self.first.memory()

    def run(self, report, pace):
        """Run the tests and report each. A status of None: it took too long."""
        test, began = self.first, time.monotonic()
        with open(log_of(test), "wb") as log:
            child = start(test.command(), log, pace)
            while child.poll() is None:
                try:
                    child.wait(5)
                except subprocess.TimeoutExpired:
                    if pace.is_over(time.monotonic() - began, test.timeout + GRACE):
                        kill(child)
                        child.returncode = None
                        break
        report.done(test, child.returncode, time.monotonic() - began, log_of(test))


class Shared(Job):
    """Cases in one machine, in another one after a case that spoils it."""

    numbers = itertools.count()

    def run(self, report, pace):
        left = self.tests
        while left:
            left = left[Machine(left, report, pace).run():]


class Machine:
    """One machine with cases. The result of the newest case waits for the machine's own: see finish()."""

    def __init__(self, tests, report, pace):
        self.tests, self.report, self.pace = tests, report, pace
        self.dir = LOGS / "machines" / str(next(Shared.numbers))
        self.ended = []     # (status, seconds) of each case
        self.began = None   # when the case that runs has begun
        self.seen = 0       # lines of the events
        self.told = 0       # cases that have been reported

    def run(self):
        """Return how many cases have a result."""
        shutil.rmtree(self.dir, ignore_errors=True)
        self.dir.mkdir(parents=True)
        command = [TOP / "tests/machine/run", *self.tests[0].machine.split(), "--cases", "--",
                   *(test.path for test in self.tests)]
        self.booted = time.monotonic()
        with open(self.dir / "log", "wb") as log:
            child = start(command, log, self.pace, RAIDPAR_OUT=str(self.dir))
            killed = self.follow(child)
        self.events()
        self.finish(None if killed else child.returncode)
        # the kernel log stays if something has failed
        if child.returncode == 0 and all(status in GOOD for status, _ in self.ended):
            shutil.rmtree(self.dir)
        return len(self.ended)

    def follow(self, child):
        """Report cases as they end. True if one has taken too long, and was killed."""
        while child.poll() is None:
            try:
                child.wait(0.2)
            except subprocess.TimeoutExpired:
                pass
            self.events()
            seconds = time.monotonic() - (self.began or self.booted)
            limit = self.tests[min(len(self.ended), len(self.tests) - 1)].timeout
            if self.pace.is_over(seconds, limit + GRACE):
                kill(child)
                return True
        return False

    def events(self):
        """Read the new lines of the machine's events."""
        try:
            lines = (self.dir / "events").read_text().split("\n")[:-1]
        except FileNotFoundError:
            return
        for line in lines[self.seen:]:
            what, *words = line.split()
            if what == "begin":
                self.tell_newest(None)
                self.began = time.monotonic()
            else:
                since = self.booted if not self.ended else self.began
                self.ended.append((int(words[1]), time.monotonic() - since))
                self.began = None
        self.seen = len(lines)

    def finish(self, status):
        """
        The machine has ended with this status. If it failed, that is the fault of the case that ran, of
        the newest one if none did, and of the next one if none has begun.
        """
        if self.began or status is None or not self.ended:
            self.tell_newest(None)
            bad = status if status else DIED if status == 0 else None
            self.ended.append((bad, time.monotonic() - (self.began or self.booted)))
        self.tell_newest(status)

    def tell_newest(self, machine):
        """Report the case that ended last. `machine`: the machine's status, if it has ended, too."""
        told = self.told
        if told == len(self.ended):
            return
        self.told += 1
        test, (status, seconds) = self.tests[told], self.ended[told]
        bad = status not in GOOD
        if machine and not bad and status != machine:
            status, bad = machine, True
        log = log_of(test)
        with open(log, "w") as out:
            out.write(self.text(self.dir / f"{told}.log"))
            if bad or not out.tell():
                out.write(self.text(self.dir / "log"))
            if status is None:
                for kernel in self.dir.glob("machine.*/kernel.log"):
                    out.write("\n".join(self.text(kernel).splitlines()[-ENDS:]) + "\n")
        self.report.done(test, status, seconds, log)

    @staticmethod
    def text(path):
        return path.read_text(errors="replace") if path.exists() else ""


def shared(cases):
    """Jobs of these cases, which may share a machine; the longest first."""
    together = []
    for test in sorted(cases, key=lambda t: -t.timeout):
        if together and (len(together) == CASES or sum(t.timeout for t in together) + test.timeout > SECONDS):
            yield Shared(together)
            together = []
        together.append(test)
    if together:
        yield Shared(together)


def make_jobs(tests):
    groups = {}
    jobs = []
    for test in tests:
        if not test.is_case():
            jobs.append(Job([test]))
        elif test.alone or not test.shares:
            jobs.append(Shared([test]))
        else:
            options = test.machine.replace("--mem 2G", "").split()  # the default
            hard = [need for need in test.cannot_do_without() if need in test.named]
            groups.setdefault((*options, *hard), []).append(test)
    for cases in groups.values():
        jobs.extend(shared(cases))
    return jobs
