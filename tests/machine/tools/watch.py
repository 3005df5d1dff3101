#!/usr/bin/python3 -B
"""Run a full-screen program on a pseudo-terminal, and end it by a key when all texts have been drawn.

  watch.py KEY TEXT... -- PROGRAM [ARGUMENT...]

The program must end with status 0, leave the alternate screen, and restore the settings of the terminal.
"""
import os
import pty
import re
import select
import subprocess
import sys
import termios
import time

PATIENCE = 120
SIZE = (24, 100)
# Words that stand apart are drawn with the cursor moved in between: a sequence is a space.
SEQUENCE = re.compile(rb"\x1b(\[[0-9;?]*[a-zA-Z]|.)")


def plain(drawn):
    return " ".join(SEQUENCE.sub(b" ", drawn).decode(errors="replace").split())


def main():
    at = sys.argv.index("--")
    key, texts, command = sys.argv[1], sys.argv[2:at], sys.argv[at + 1:]
    terminal, inside = pty.openpty()
    termios.tcsetwinsize(terminal, SIZE)
    settings = termios.tcgetattr(inside)
    program = subprocess.Popen(command, stdin=inside, stdout=inside, stderr=inside, start_new_session=True,
                               env=dict(os.environ, TERM="xterm"))
    drawn, typed, end = b"", False, time.monotonic() + PATIENCE
    while program.poll() is None:
        if time.monotonic() > end:
            program.kill()
            sys.exit(f"not all of {texts} are drawn, or it does not end: {plain(drawn)}")
        if select.select([terminal], [], [], 0.1)[0]:
            drawn += os.read(terminal, 65536)
        if not typed and all(text in plain(drawn) for text in texts):
            os.write(terminal, key.encode())
            typed = True
    while select.select([terminal], [], [], 0)[0]:
        drawn += os.read(terminal, 65536)
    if program.returncode != 0 or not typed:
        sys.exit(f"it ends with status {program.returncode}: {plain(drawn)}")
    if b"\x1b[?1049l" not in drawn:
        sys.exit("it does not leave the alternate screen")
    if termios.tcgetattr(inside) != settings:
        sys.exit("the settings of the terminal are not restored")


main()
