"""The array, its members, and the counters of both."""
import pathlib
import re
import subprocess

MEMBERS = 5
KINDS = {"reads": 0, "writes": 4, "flushes": 15, "discards": 11}  # places in a disk's stat
SECTORS = {"read_bytes": 2, "written_bytes": 6}
BLOCK = pathlib.Path("/sys/block")
SPINDLES = pathlib.Path("/sys/kernel/config/spindle")


class CommandFailed(Exception):
    """A command's exit status was not 0; says what it said."""


def run(*command):
    """Both outputs of a command that must succeed."""
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                          stdin=subprocess.DEVNULL, text=True, errors="replace", check=False)
    if done.returncode:
        raise CommandFailed(f"{' '.join(command)}: exit status {done.returncode}: {done.stdout.strip()}")
    return done.stdout


def stat_line(disk):
    """All of the block layer's counters of a disk, and what is in flight."""
    inflight = (BLOCK / disk / "inflight").read_text().split()
    return [int(field) for field in (BLOCK / disk / "stat").read_text().split() + inflight]


def counters(disk):
    stat = stat_line(disk)
    values = {kind: stat[place] for kind, place in KINDS.items()}
    values.update({kind: stat[place] * 512 for kind, place in SECTORS.items()})
    return values


def starts(disk):
    """How often its platter was started."""
    return int((SPINDLES / disk / "starts").read_text())


class Sleepers:
    """Holds disks to standing still: not one counter of theirs may move, nor the platter."""

    def __init__(self, disks):
        self.before = {disk: stat_line(disk) for disk in disks}
        self.starts = {disk: starts(disk) for disk in disks}
        self.moved = []
        self.checks = 0

    def check(self, what):
        """Note which disks have moved since the last check, that is, during `what`."""
        self.checks += 1
        for disk, before in self.before.items():
            now = stat_line(disk)
            if now != before:
                self.moved.append(f"{disk} during {what}: {self.difference(before, now)}")
            self.before[disk] = now
            if starts(disk) != self.starts[disk]:
                self.moved.append(f"{disk} was started during {what}")
            self.starts[disk] = starts(disk)

    def states(self):
        return [(SPINDLES / disk / "state").read_text().strip() for disk in self.before]

    @staticmethod
    def difference(before, now):
        moved = [f"{kind} +{now[place] - before[place]}" for kind, place in KINDS.items()
                 if now[place] != before[place]]
        return ", ".join(moved) or f"stat {before} became {now}"


class Array:
    """/dev/md0. What it counts starts anew with each assembly, so the sums of
    earlier ones are kept here."""
    name, device = "md0", "/dev/md0"
    COUNTED = ("propagated_bytes", "metadata_writes")

    def __init__(self):
        self.disks = [f"spin{i}" for i in range(MEMBERS)]
        self.devices = [f"/dev/{disk}" for disk in self.disks]
        self.past = {}
        self.assemblies = 0

    def create(self, layout):
        command = ["mdadm", "--create", self.device, "--run", "--level=par",
                   f"--raid-devices={MEMBERS}", f"--layout={layout}", "--log-size=none", "--image-share=10",
                   *self.devices]
        run(*command)
        self.assemblies += 1
        return " ".join(command)

    def stop(self):
        self.past = self.totals()
        run("mdadm", "--stop", self.device)

    def assemble(self):
        run("mdadm", "--assemble", self.device, *self.devices)
        self.assemblies += 1

    def running(self):
        return (BLOCK / self.name / "md" / "par").is_dir()

    def par(self, file):
        return (BLOCK / self.name / "md" / "par" / file).read_text().strip()

    def number(self, file):
        return int(self.par(file))

    def order_gear(self, members):
        (BLOCK / self.name / "md" / "par" / "gear").write_text(f"{members}\n")

    def limit_speed(self, kib):
        """Of propagation; returns what the limit was."""
        usual = self.number("speed_max")
        (BLOCK / self.name / "md" / "par" / "speed_max").write_text(f"{kib}\n")
        return usual

    def sleeping(self):
        """Who sleeps, and since which assembly."""
        return {(self.assemblies, i) for i in range(MEMBERS)
                if self.running() and self.par(f"member{i}/asleep") == "1"}

    def totals(self):
        """What users moved and the array itself did, since the first assembly."""
        now = {}
        if self.running():
            user = counters(self.name)
            now = {"user_" + kind: user[kind] for kind in SECTORS}
            now.update({file: self.number(file) for file in self.COUNTED})
        return {key: self.past.get(key, 0) + now.get(key, 0) for key in {**self.past, **now}}

    def mdstat(self):
        """The array's own lines of /proc/mdstat."""
        text = pathlib.Path("/proc/mdstat").read_text()
        found = re.search(rf"^{self.name} :.*\n(?:[ \t]+\S.*\n)*", text, re.MULTILINE)
        return found.group(0).splitlines() if found else []

    def detail(self):
        return run("mdadm", "--detail", self.device).splitlines()

    def examine(self, index):
        return run("mdadm", "--examine", self.devices[index]).splitlines()
