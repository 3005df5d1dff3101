#!/usr/bin/python3
"""Make requests that must be refused, and check the refusals.

  refuse.py run DEVICE...  (lines of FIELD=VALUE[,FIELD=VALUE…] ERRNO TEXT on stdin)
  refuse.py write             (lines of FILE ERRNO VALUE on stdin)

run edits md's superblock (version 1.2) on the devices and lets the kernel start
the array. ERRNO is the name of the expected error, or OK; TEXT must be in the
kernel log; no device may be written to. The superblocks are restored.
FIELD@0=VALUE edits the first device only.

write writes VALUE, which may have escapes like \\n, into FILE; after an error
the file must read as before.
"""
import errno
import fcntl
import os
import stat
import struct
import sys
import tempfile
import time

FIELDS = {  # offset and format in md's superblock
    "feature_map": (8, "I"), "level": (72, "I"), "layout": (76, "I"), "size": (80, "Q"),
    "chunk": (88, "I"), "raid_disks": (92, "I"), "bitmap_offset": (96, "I"),
    "new_level": (100, "I"), "reshape_position": (104, "Q"), "delta_disks": (112, "I"),
    "new_layout": (116, "I"), "new_chunk": (120, "I"), "events": (200, "Q"),
    "resync_offset": (208, "Q"), "data_size": (136, "Q"), "uuid": (16, "Q"), "ctime": (64, "Q"),
}
SET_ARRAY_INFO, ADD_NEW_DISK, RUN_ARRAY, STOP_ARRAY = 0x40480923, 0x40140921, 0x400c0930, 0x932


def checksum(raw):
    size = 256 + 2 * struct.unpack_from("<I", raw, 220)[0]
    words = raw[:216] + bytes(4) + raw[220:size]
    total = sum(struct.unpack_from(f"<{size // 4}I", words))
    if size % 4:
        total += struct.unpack_from("<H", words, size - 2)[0]
    return (total & 0xffffffff) + (total >> 32) & 0xffffffff


def edit(raw, changes, first):
    raw = bytearray(raw)
    for change in changes:
        name, _, value = change.partition("=")
        name, _, only = name.partition("@")
        if only and not first:
            continue
        offset, kind = FIELDS[name]
        struct.pack_into("<" + kind, raw, offset, int(value, 0))
    struct.pack_into("<I", raw, 216, checksum(raw))
    return bytes(raw)


def super_of(device, text=None):
    fd = os.open(device, os.O_RDWR)
    old = os.pread(fd, 4096, 4096)
    if text:
        os.pwrite(fd, text, 4096)
        os.fsync(fd)
    os.close(fd)
    return old


def writes(device):
    with open(f"/sys/block/{os.path.basename(device)}/stat", encoding="ascii") as file:
        counters = file.read().split()
    return counters[4], counters[11]


def open_array(md):
    """Opening the device creates the array; retry while the last one is still being removed."""
    for _ in range(100):
        try:
            return os.open(md, os.O_RDWR)
        except OSError as error:
            if error.errno not in (errno.ENODEV, errno.ENXIO):
                raise
            time.sleep(0.05)
    return os.open(md, os.O_RDWR)


def start(md, devices):
    """Assemble by ioctl, as mdadm does; the name of the error of the start."""
    fd = open_array(md)
    try:
        fcntl.ioctl(fd, SET_ARRAY_INFO, struct.pack("18i", 1, 2, *[0] * 16))
        for device in devices:
            number = os.stat(device).st_rdev
            fcntl.ioctl(fd, ADD_NEW_DISK,
                        struct.pack("5i", 0, os.major(number), os.minor(number), 0, 0))
        fcntl.ioctl(fd, RUN_ARRAY, bytes(12))
        return "OK"
    except OSError as error:
        return errno.errorcode.get(error.errno, str(error.errno))
    finally:
        fcntl.ioctl(fd, STOP_ARRAY)
        os.close(fd)


def run(md, changes, want, text, devices):
    old = [super_of(device) for device in devices]
    for i, device in enumerate(devices):
        super_of(device, edit(old[i], changes.split(","), not i))
    before = [writes(device) for device in devices]
    log = os.open("/dev/kmsg", os.O_RDONLY | os.O_NONBLOCK)
    os.lseek(log, 0, os.SEEK_END)
    got = start(md, devices)
    wrote = [writes(device) for device in devices] != before
    said = read_log(log)
    for device, raw in zip(devices, old):
        super_of(device, raw)
    if got != want:
        return f"{changes}: {got}, should be {want}; the log: {said}"
    if not any(text in line for line in said):
        return f"{changes}: '{text}' is not in the log: {said}"
    if wrote and want != "OK":
        return f"{changes}: refused, but written to"
    return None


def read_log(log):
    lines = []
    while True:
        try:
            lines.append(os.read(log, 8192).decode(errors="replace").partition(";")[2].strip())
        except BlockingIOError:
            return lines


def content(path):
    try:
        with open(path, encoding="ascii") as file:
            return file.read()
    except OSError:
        return None


def try_write(path, value):
    """The name of the error of the write."""
    try:
        fd = os.open(path, os.O_WRONLY)
        try:
            os.write(fd, value.encode().decode("unicode_escape").encode())
        finally:
            os.close(fd)
        return "OK"
    except OSError as error:
        return errno.errorcode.get(error.errno, str(error.errno))


def write(path, want, value):
    before, got = content(path), try_write(path, value)
    # After any write md looks for members to sync, and refuses with EBUSY until it has looked.
    for _ in range(40):
        if got != "EBUSY" or want == "EBUSY":
            break
        time.sleep(0.05)
        got = try_write(path, value)
    if got != want:
        return f"'{value}' into {path}: {got}, should be {want}"
    if got != "OK" and content(path) != before:
        return f"'{value}' into {path}: {got}, but it now reads {content(path)!r}"
    return None


def main():
    lines = [(line.rstrip("\n") + "  ").split(" ", 2) for line in sys.stdin]
    lines = [(first, want, rest.strip()) for first, want, rest in lines if first]
    if sys.argv[1] == "run":
        # The kernel removes the node in /dev some time after the array is stopped.
        with tempfile.TemporaryDirectory() as directory:
            os.mknod(directory + "/md9", 0o600 | stat.S_IFBLK, os.makedev(9, 9))
            faults = [run(directory + "/md9", *line, sys.argv[2:]) for line in lines]
    else:
        faults = [write(*line) for line in lines]
    faults = [fault for fault in faults if fault]
    for fault in faults:
        print(f"refuse: {fault}", file=sys.stderr)
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
