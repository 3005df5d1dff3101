# SPDX-License-Identifier: GPL-2.0
"""The tests: what each is, how it runs, and which a call of tests/run selects."""
import dataclasses
import os
import pathlib
import re

import needs

TOP = pathlib.Path(__file__).resolve().parent.parent
SLACK = 4   # a machine may be so many times slower than the one where the time-outs were measured
OTHER_KERNEL = "7.2"
STOCK_KERNELS = ["stock-6.12", "stock-7.2"]
# The subjects in the order of --list, each with the question that its tests answer.
SUBJECTS = {
    "life": "does an array start, run and stop like any md array?",
    "shape": "do all layouts, sizes and kinds of members work?",
    "data": "is data always read back as it was written?",
    "shift": "does each shift complete, and at what cost?",
    "member": "what happens when members fail, leave and return?",
    "sync": "do checks, rebuilds and resyncs find and correct everything?",
    "crash": "what is left after a power cut, or with damaged metadata?",
    "log": "does the write log lose no write, and replay none that is outdated?",
    "slots": "are runs with images read and written while members sleep, and others after a wake?",
    "mdadm": "does mdadm handle par like other levels?",
    "power": "do sleepers sleep, and what wakes them?",
    "policy": "does the array shift by itself at the right time?",
    "paradm": "does paradm do what its manual says?",
    "tracer": "does raid-tracer do what its manual says?",
    "fleet": "does parfleet shift a Ceph cluster's gears without harm?",
    "spindle": "do the simulated disks behave like real ones?",
    "replay": "is a replay reproducible?",
    "torture": "is anything lost in random power cuts?",
    "bench": "does the exact bench measure what it claims?",
    "day": "is the report of a day right?",
    "demo": "does the demo notice errors?",
    "build": "are the sources clean, and do they build and load on each kernel?",
    "meta": "does the test machine fail what has to fail?",
    "harness": "do the helpers of the tests work?",
}


@dataclasses.dataclass(eq=False)
class Test:
    name: str
    path: pathlib.Path
    about: str = ""
    subject: str = ""
    machine: str = "--debug"
    again: str = ""
    timeout: int = 300 * SLACK
    alone: bool = False
    shares: bool = True
    stock: bool = False
    rare: str = ""
    plain: bool = False
    mdadms: list = dataclasses.field(default_factory=list)
    args: list = dataclasses.field(default_factory=list)
    named: list = dataclasses.field(default_factory=list)

    def needs(self):
        """What must be built, or be known to be unavailable, before it can start."""
        named = [need.rstrip("?") for need in self.named]
        if self.is_case() or self.is_kunit():
            return needs.of_machine(self.machine) + named
        machine = ["mdadm"] if any(not need.startswith(("mdadm", "raid-tracer")) for need in named) else []
        return named + machine

    def cannot_do_without(self):
        return [need for need in self.needs() if need + "?" not in self.named]

    def memory(self):
        """That of its machine in MiB; a test on the host may have one of the default size."""
        found = re.search(r"--mem (\d+)([MG])", self.machine)
        return int(found[1]) * (1024 if found[2] == "G" else 1) if found else 2048

    def is_case(self):
        return self.path.parent == TOP / "tests" / "machine" / "cases"

    def is_movable(self):
        """May it run with another kernel? Only 6.12 has simulated time."""
        return (self.is_case() or self.is_kunit()) and "--time-travel" not in self.machine.split()

    def is_plain(self):
        """A case that make test runs without --debug, on another kernel."""
        return self.is_movable() and self.is_case() and (
            self.plain or not {"--debug", "--kernel"} & set(self.machine.split()))

    def is_kunit(self):
        return self.path == TOP / "tests" / "kunit"

    def command(self):
        return [str(self.path), *(self.machine.split() if self.is_kunit() else self.args)]

    def in_machine(self, options):
        """The same test in another machine; the name contains its kernel."""
        found = re.search(r"--kernel (\S+)", options)
        group, _, rest = self.name.partition("/")
        name = (f"{group}-{found[1]}" if found else group) + (f"/{rest}" if rest else "")
        return dataclasses.replace(self, name=name, machine=options)

    def for_mdadm(self, version):
        rare = self.rare if self.rare in ("yes", version) else ""
        return dataclasses.replace(self, name=f"{self.name}-{version}", args=[version], rare=rare,
                                   named=[need.replace("VERSION", version) for need in self.named])

    def without_debug(self):
        options = [o for o in self.machine.split() if o != "--debug"]
        return dataclasses.replace(self, machine=" ".join(options))

    def on_kernel(self, kernel, plain):
        plain = plain or kernel.startswith("stock-") or kernel.endswith("-arm64")
        test = self.without_debug() if plain else self
        return test.in_machine(" ".join(["--kernel", kernel, test.machine]).strip())


def subject_of(test):
    """The first word of the name of a case or of a test on the host, else its directory."""
    word = re.split("[-.]", test.path.name)[0]
    group = test.name.split("/")[0]
    if test.path.parent == TOP / "tests":
        return "build"
    return word if word in SUBJECTS else group


def read_test(path):
    name = str(path.relative_to(TOP / "tests")).removesuffix(".sh")
    test = Test(name.replace("machine/cases/", "machine/"), path)
    for line in path.read_text().splitlines()[1:]:
        if not line.startswith("#"):
            break
        text = line.lstrip("#").strip()
        key, _, value = text.partition(":")
        if key == "machine":
            test.machine = value.strip()
        elif key == "again":
            test.again = value.strip()
        elif key == "timeout":
            test.timeout = int(value) * SLACK
        elif key == "subject":
            test.subject = value.strip()
        elif key == "alone":
            test.alone = True
        elif key == "shares":
            test.shares = False
        elif key == "stock":
            test.stock = True
        elif key == "rare":
            test.rare = value.strip()
        elif key == "plain":
            test.plain = True
        elif key == "needs":
            test.named = value.split()
        elif key == "mdadm":
            test.mdadms = value.split()
        elif text and not test.about:
            test.about = text
    test.subject = test.subject or subject_of(test)
    return test


def find_scripts():
    tests = TOP / "tests"
    paths = [tests / "check", tests / "kunit"]
    paths += sorted(tests.glob("*/*.sh"), key=lambda p: (p.parent.name != "meta", p))
    paths += sorted((tests / "machine/cases").glob("*.sh"))
    return [read_test(p) for p in paths if p.is_file() and os.access(p, os.X_OK)]


def find_tests(args):
    """The tests that args.all or args.kernel selects, each run once."""
    found = [t for script in find_scripts()
             for t in ([script.for_mdadm(v) for v in script.mdadms] or [script])]
    movable = [t for t in found if t.is_movable()]
    stock = [t for t in movable if t.stock]
    if args.kernel in STOCK_KERNELS:
        movable = stock
    if args.kernel:
        found = [t.on_kernel(args.kernel, args.plain) for t in movable]
    else:
        found += [t.in_machine(t.again) for t in found if t.again]
    if not args.all and not args.kernel:
        # One kernel less to build.
        found = [t.on_kernel(OTHER_KERNEL, True) if t.is_plain() else
                 t.without_debug() if t.plain else t for t in found]
        found = [t for t in found if args.k or not t.rare]
    if args.all:
        names = {t.name for t in found}
        moved = [t.on_kernel(OTHER_KERNEL, args.plain) for t in movable]
        moved += [t.on_kernel(k, True) for k in STOCK_KERNELS for t in stock]
        found += [t for t in moved if t.name not in names]
    return [t for t in found if re.search(args.k, t.name)]


def list_tests(tests):
    """Print the tests by subject; subjects that SUBJECTS lacks come last."""
    subjects = list(SUBJECTS) + sorted({test.subject for test in tests} - set(SUBJECTS))
    for subject in subjects:
        own = [test for test in tests if test.subject == subject]
        if own:
            print(f"{subject}: {SUBJECTS[subject]}" if subject in SUBJECTS else subject)
        for test in own:
            print(f"  {test.name}: {test.about}")
