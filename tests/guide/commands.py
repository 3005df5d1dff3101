#!/usr/bin/python3 -B
# SPDX-License-Identifier: GPL-2.0
"""The commands that README and the administrator's documents tell a reader to type.

  commands.py           one a line: FILE, HEADING and COMMAND between tabs, \\x01 for its line ends
  commands.py --check   is each in tests/guide/list, by a test that there is, and nothing else?

A command is what an indented block has, line by line, or as many lines as bash needs; in a block that
begins with a prompt, "# ", what follows a prompt; and what stands in the text between backquotes, if
it begins with the name of a program and has an argument. Remarks at the end of a line are left out.

tests/guide/list has sections, "[TEST]" with the path of a test below tests/, or "[TEST: WORDS]" if that
test has these words and not the command itself, or "[none: REASON]" for what no test runs. In them are
lines "FILE: COMMAND". Blocks that are no commands are in "[no command]", by their first line.
"""
import pathlib
import re
import subprocess
import sys

TOP = pathlib.Path(__file__).resolve().parent.parent.parent
LIST = TOP / "tests" / "guide" / "list"
GUIDE = TOP / "tests" / "machine" / "cases" / "guide.sh"
FILES = ["README.md", "Documentation/admin-guide.md", "Documentation/admin-tasks.md"]
PROGRAMS = ("mdadm paradm echo make systemctl udevadm hdparm cat grep mount fstrim modprobe par-smart journalctl "
            "date fsck blkid umount").split()


def parses(text):
    return subprocess.run(["bash", "-n"], input=text, text=True, stderr=subprocess.DEVNULL, check=False).returncode == 0


def without_remark(line):
    return re.sub(r"\s+# .*$", "", line).rstrip()


def split(lines):
    """Commands, each of as many lines as bash needs."""
    command = []
    for line in lines:
        command.append(without_remark(line))
        text = "\n".join(command)
        if not re.search(r"\b(do|then|for|while|until|if)\b|[\\({]$", text) or parses(text):
            yield text
            command = []
    if command:
        yield "\n".join(command)


def is_whole(program, rest):
    """A command that can be typed, and not an option that is named, nor one for some disk or other."""
    if not rest or "…" in rest or "sdX" in rest or (rest.startswith("-o ") and "/dev/" not in rest):
        return False
    if program == "hdparm" or (program == "mdadm" and "--scan" not in rest):
        return "/dev/" in rest
    return (program, rest) not in (("udevadm", "trigger"), ("journalctl", "-k"), ("udevadm", "monitor --property"))


def read(file, no_commands):
    """(heading, command) of each; what begins a block of no_commands is taken out of it."""
    heading, block, blank = "", [], True
    for line in (TOP / file).read_text().splitlines() + [""]:
        if re.match(r" {4,}\S", line) and (block or blank):
            block.append(line)
            continue
        if block and line.strip():
            # A paragraph's line that is indented, not a block.
            block = [] if not blank else block
        if block and not line.strip():
            indent = min(len(one) - len(one.lstrip()) for one in block)
            lines = [one[indent:] for one in block]
            if lines[0].startswith("# "):
                yield from ((heading, without_remark(one[2:])) for one in lines if one.startswith("# "))
            elif (file, lines[0]) in no_commands:
                no_commands.remove((file, lines[0]))
            else:
                yield from ((heading, command) for command in split(lines))
            block = []
        blank = not line.strip()
        if line.startswith("#"):
            heading = line.lstrip("#").strip()
        for span in re.findall(r"`([^`]+)`", line):
            program, _, rest = span.partition(" ")
            if program in PROGRAMS and is_whole(program, rest):
                yield heading, span


def read_list():
    """(section, file, text) of each line."""
    section = None
    for line in LIST.read_text().splitlines():
        if line.startswith("#") or not line.strip():
            continue
        if re.fullmatch(r"\[.+\]", line):
            section = line[1:-1]
            continue
        file, _, text = line.partition(": ")
        yield section, file, text.replace("\\n", "\n")


def no_commands():
    return {(path(file), text) for section, file, text in read_list() if section == "no command"}


def path(name):
    """The list has names without their directory."""
    return next((file for file in FILES if file.rpartition("/")[2] == name), name)


def commands():
    blocks = no_commands()
    for file in FILES:
        for heading, command in read(file, blocks):
            yield file, heading, command
    for file, text in sorted(blocks):
        sys.exit(f"tests/guide/list: {file} has no block that begins with '{text}'")


def runs(section, command):
    """Is there that test, and does it have its words? Those of guide.sh are compared when it has run."""
    if section.startswith("none: "):
        return True
    name, _, words = section.partition(": ")
    test = TOP / "tests" / name
    return test.is_file() and (test == GUIDE or (words or command) in test.read_text())


def check():
    wrong = 0
    listed = {(path(file), text): section for section, file, text in read_list() if section != "no command"}
    found = {(file, command): heading for file, heading, command in commands()}
    for (file, command), heading in found.items():
        if (file, command) not in listed:
            shown = command.replace("\n", "\\n")
            print(f"{file}, {heading}: tests/guide/list has no test for: {shown}")
            wrong = 1
    for (file, command), section in listed.items():
        if (file, command) not in found:
            shown = command.replace("\n", "\\n")
            print(f"tests/guide/list, [{section}]: {file} has no such command: {shown}")
            wrong = 1
        elif not runs(section, command):
            shown = command.replace("\n", "\\n")
            print(f"tests/guide/list, [{section}]: that test does not run: {shown}")
            wrong = 1
    return wrong


def main(args):
    if args == ["--check"]:
        sys.exit(check())
    if args:
        sys.exit(__doc__)
    for file, heading, command in commands():
        shown = command.replace("\n", "\x01")
        print(f"{file.rpartition('/')[2]}\t{heading}\t{shown}")


if __name__ == "__main__":
    main(sys.argv[1:])
