#!/usr/bin/python3
"""Send a command to SCSI disks past their driver and runtime PM.

  sg.py stop|start|sense DEVICE...

stop and start are START STOP UNIT. sense sends REQUEST SENSE and prints "DEVICE KEY/ASC/ASCQ",
in hexadecimal: 2/04/02 is a disk that has been stopped.
"""
import ctypes
import fcntl
import os
import sys

SG_IO = 0x2285
NONE, FROM_DEVICE = -1, -3
COMMANDS = {
    "stop": bytes([0x1B, 0, 0, 0, 0, 0]),
    "start": bytes([0x1B, 0, 0, 0, 1, 0]),
    "sense": bytes([0x03, 0, 0, 0, 18, 0]),
}


class Header(ctypes.Structure):
    """struct sg_io_hdr of <scsi/sg.h>"""

    _fields_ = [
        ("interface_id", ctypes.c_int), ("dxfer_direction", ctypes.c_int),
        ("cmd_len", ctypes.c_ubyte), ("mx_sb_len", ctypes.c_ubyte),
        ("iovec_count", ctypes.c_ushort), ("dxfer_len", ctypes.c_uint),
        ("dxferp", ctypes.c_void_p), ("cmdp", ctypes.c_void_p),
        ("sbp", ctypes.c_void_p), ("timeout", ctypes.c_uint),
        ("flags", ctypes.c_uint), ("pack_id", ctypes.c_int),
        ("usr_ptr", ctypes.c_void_p), ("status", ctypes.c_ubyte),
        ("masked_status", ctypes.c_ubyte), ("msg_status", ctypes.c_ubyte),
        ("sb_len_wr", ctypes.c_ubyte), ("host_status", ctypes.c_ushort),
        ("driver_status", ctypes.c_ushort), ("resid", ctypes.c_int),
        ("duration", ctypes.c_uint), ("info", ctypes.c_uint),
    ]


def send(device, command, length):
    """The data that the command returns."""
    data = ctypes.create_string_buffer(max(length, 1))
    cdb = ctypes.create_string_buffer(command, len(command))
    sense = ctypes.create_string_buffer(32)
    header = Header(
        interface_id=ord("S"), dxfer_direction=FROM_DEVICE if length else NONE,
        cmd_len=len(command), mx_sb_len=len(sense), dxfer_len=length,
        dxferp=ctypes.addressof(data), cmdp=ctypes.addressof(cdb),
        sbp=ctypes.addressof(sense), timeout=60000)
    fd = os.open(device, os.O_RDONLY | os.O_NONBLOCK)
    fcntl.ioctl(fd, SG_IO, header)
    os.close(fd)
    if header.status or header.host_status:
        sys.exit(f"{device}: status {header.status:#x}, host {header.host_status:#x}, "
                 f"sense {sense.raw[:header.sb_len_wr].hex(' ')}")
    return data.raw


def main():
    if len(sys.argv) < 3 or sys.argv[1] not in COMMANDS:
        sys.exit(__doc__)
    asks = sys.argv[1] == "sense"
    for device in sys.argv[2:]:
        data = send(device, COMMANDS[sys.argv[1]], 18 if asks else 0)
        if asks:
            print(f"{device} {data[2] & 15:x}/{data[12]:02x}/{data[13]:02x}")


if __name__ == "__main__":
    main()
