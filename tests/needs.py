# SPDX-License-Identifier: GPL-2.0
"""Needs of tests, which must be built before them, and their builds, for tests/run.

A need is a kernel with the modules for it, as scripts/build-module names it, or an
mdadm: "mdadm" (any version), "mdadm-4.4", "mdadm-4.4-unpatched", "mdadm-4.2-unpatched"; or
"debian-root", the Debian 13 of scripts/debian-root; or "paradm", or "raid-tracer".
"""
import subprocess
import sys
import threading
import time

UNAVAILABLE = 69    # status of a script that finds no mirror with what it needs: see scripts/lib.sh
# Without any mdadm there is nothing to pass, and without raid-tracer tests of the policy would be left out unnoticed.
REQUIRED = ("mdadm", "raid-tracer")
BUILT, MISSING, FAILED = "built", "missing", "failed"


def of_machine(options):
    """The needs of a machine of tests/machine/run with these options."""
    words = options.split()
    value = {word: following for word, following in zip(words, [*words[1:], ""])}
    kernel = value.get("--kernel", "6.12") + ("-debug" if "--debug" in words else "")
    version = value.get("--mdadm")
    debian = ["debian-root"] if "--debian" in words else []
    return [f"mdadm-{version}" if version else "mdadm", kernel, *debian]


def in_order(needs):
    """Each need once: mdadm first, for which most tests wait; then in the order of the tests."""
    def turn(need):
        return 2 if need.endswith("-unpatched") else 0 if need.startswith("mdadm") else 1
    return sorted(dict.fromkeys(needs), key=turn)


def command(scripts, need):
    name, _, rest = need.partition("-")
    if need == "debian-root":
        return [scripts / need]
    if need == "paradm":
        return [scripts / "build-paradm"]
    if need == "raid-tracer":
        return [scripts / "build-tracer"]
    if name != "mdadm":
        return [scripts / "build-module", need]
    version, _, unpatched = rest.partition("-")
    return [scripts / "build-mdadm", version or "any", *(["--unpatched"] if unpatched else [])]


class Builder(threading.Thread):
    """Builds one need after the other, beside the tests that do not wait for it.

    `changed` is notified when a need is settled: built, unavailable, or failed. Its lock is held
    for `state`, which says which of these it is, and `reason`, a line.
    """

    def __init__(self, needs, scripts, logs, changed):
        super().__init__(daemon=True)
        self.needs, self.scripts, self.logs, self.changed = needs, scripts, logs, changed
        self.state, self.reason = {}, {}
        self.seconds = 0.0

    def run(self):
        for need in self.needs:
            start = time.monotonic()
            try:
                state, reason = self.build(need)
            except Exception as error:  # otherwise tests would wait for it indefinitely
                state, reason = FAILED, str(error)
            with self.changed:
                self.seconds += time.monotonic() - start
                self.state[need], self.reason[need] = state, reason
                self.changed.notify_all()

    def build(self, need):
        """The script prints its progress to standard error, which is shown and logged."""
        last = "no message"
        with open(self.logs / f"build-{need}.log", "w", encoding="utf-8") as log:
            child = subprocess.Popen(command(self.scripts, need), stdin=subprocess.DEVNULL,
                                     stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
                                     text=True, errors="replace")
            for line in child.stderr:
                log.write(line)
                print(line, end="", file=sys.stderr, flush=True)
                last = line.strip() or last
            status = child.wait()
        if status == 0:
            return BUILT, ""
        return (MISSING if status == UNAVAILABLE and need not in REQUIRED else FAILED), last

    def is_done(self):
        return len(self.state) == len(self.needs)

    def is_settled(self, needs):
        return all(need in self.state for need in needs)

    def first(self, state, needs):
        """The first of the needs that has this state."""
        return next((need for need in needs if self.state.get(need) == state), None)
