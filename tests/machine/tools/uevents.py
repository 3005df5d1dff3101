#!/usr/bin/python3
"""Print the uevents of par arrays as they come, one a line, until killed.

  uevents.py [DEVICE]

Prints "ready", then lines such as "md0 sleep MEMBER=4 DEVICE=sde POWER=runtime": the array,
the event, and its variables. With DEVICE, such as md0, only its events.
"""
import socket
import sys

NETLINK_KOBJECT_UEVENT = 15
BY_KERNEL = 1


def main():
    events = socket.socket(socket.AF_NETLINK, socket.SOCK_DGRAM, NETLINK_KOBJECT_UEVENT)
    events.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1 << 20)
    events.bind((0, BY_KERNEL))
    print("ready", flush=True)
    while True:
        fields = events.recv(1 << 16).decode(errors="replace").split("\0")
        own = [f.split("=", 1) for f in fields if f.startswith("PAR_")]
        device = dict(f.split("=", 1) for f in fields if "=" in f).get("DEVNAME")
        if not own or device not in (sys.argv[1:] or [device]):
            continue
        assert own[0][0] == "PAR_EVENT", fields
        rest = [f"{name.removeprefix('PAR_')}={value}" for name, value in own[1:]]
        print(device, own[0][1], *rest, flush=True)


if __name__ == "__main__":
    main()
