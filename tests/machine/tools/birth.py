#!/usr/bin/env python3
"""Leave on the devices of an array that is to be created how large a log it gets.

  birth.py UUID OFFSET SECTORS DEVICE...     OFFSET: of the data area, in sectors; SECTORS: of each member's log
"""
import struct
import sys


def crc32c(data):
    crc = 0xffffffff
    for byte in data:
        crc ^= byte
        for _ in range(8):
            crc = crc >> 1 ^ (0x82f63b78 if crc & 1 else 0)
    return crc


def main():
    uuid = bytes.fromhex(sys.argv[1].replace(":", ""))
    offset, sectors = int(sys.argv[2]), int(sys.argv[3])
    tail = uuid + struct.pack("<Q", sectors)
    tail += bytes(4096 - 16 - len(tail))
    crc = crc32c(b"RAIDPARB" + bytes(4) + bytes(4) + tail)
    block = b"RAIDPARB" + struct.pack("<I", crc) + bytes(4) + tail
    for name in sys.argv[4:]:
        with open(name, "r+b", buffering=0) as device:
            device.seek((offset + 32) * 512)
            device.write(block)


main()
