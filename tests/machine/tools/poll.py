#!/usr/bin/python3
"""Wait with poll(2) for sysfs files to change; print what each then reads.

  poll.py FILE...

Prints "ready" once all files have been read and are watched, then a line
"NAME VALUE" for each change, until it is killed.
"""
import os
import select
import sys


def main():
    files, poller = {}, select.poll()
    for path in sys.argv[1:]:
        fd = os.open(path, os.O_RDONLY)
        files[fd] = os.path.basename(path)
        os.pread(fd, 256, 0)
        poller.register(fd, select.POLLPRI)
    print("ready", flush=True)
    while True:
        for fd, _ in poller.poll():
            print(files[fd], os.pread(fd, 256, 0).decode().strip(), flush=True)


if __name__ == "__main__":
    main()
