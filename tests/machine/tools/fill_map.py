#!/usr/bin/python3
"""Give a stopped array the metadata that it has once all of it has been written: every map block is stored.

  fill_map.py [--one] DEVICE...

Every row becomes written, with all data at home. The members that never sleep get the map. With --one only the first
one does: all members' places are read, and less memory is needed for simulated disks.
"""
import os
import struct
import sys

import dissect
from dissect import BLOCK, PAYLOAD, SECTOR, ZONE_ROWS, crc32c

STORED = 0x80


def sealer(raw):
    """A function that seals a copy of the block for an index: the checksum is linear in its bits."""
    base, bits = crc32c(raw), []
    for bit in range(32):
        delta = bytearray(BLOCK)
        struct.pack_into("<I", delta, 12, 1 << bit)
        bits.append(crc32c(bytes(delta), 0))

    def seal(index):
        crc = base
        for bit in range(32):
            if index >> bit & 1:
                crc ^= bits[bit]
        return raw[:4] + struct.pack("<I", crc) + raw[8:12] + struct.pack("<I", index) + raw[16:]
    return seal


def block(kind, epoch, seq, payload):
    return struct.pack("<4I2Q32x", 0x42524150, 0, kind, 0, epoch, seq) + payload + bytes(BLOCK - 64 - len(payload))


def fill_set(array, s, first, fds, seq):
    each = s.width * ZONE_ROWS // 8
    byte = b"\xff" if s.width == 1 else b"\xaa"
    whole = sealer(block(2, array.epoch, seq, byte * (each * s.block_zones)))
    for b in range(s.blocks):
        zones = min(s.block_zones, s.zones - b * s.block_zones)
        seal = whole if zones == s.block_zones else sealer(block(2, array.epoch, seq, byte * (each * zones)))
        raw, index = seal(s.block_base + b), s.block_base + b
        for d, fd in fds:
            os.pwrite(fd, raw, (array.member[d].data_offset + first + 16 * index) * SECTOR)


def fill_intents(array, fds, count):
    for d, fd in fds:
        for i in range(count):
            for slot in (0, 8):
                sector = 128 + 16 * i + slot
                raw = bytearray(array.member[d].read(sector, 8))
                if raw[:4] == b"PARB":
                    raw[64:64 + PAYLOAD] = bytes([STORED]) * PAYLOAD
                    raw[4:8] = bytes(4)
                    struct.pack_into("<I", raw, 4, crc32c(bytes(raw)))
                    os.pwrite(fd, raw, (array.member[d].data_offset + sector) * SECTOR)


def main():
    one = sys.argv[1] == "--one"
    dissect.Slots.load = lambda self, sector: None
    array = dissect.Array(sys.argv[1 + one:])
    seq = struct.unpack_from("<Q", array.newest_super()[1], 80)[0]
    fds = [(d, os.open(member.path, os.O_WRONLY)) for d, member in enumerate(array.member[:array.gears[0]])]
    intents = -(-sum(s.zones for s in array.sets[1:]) // PAYLOAD)
    fill_intents(array, fds, intents)
    for s in array.sets[1:]:
        fill_set(array, s, 128 + 16 * intents, fds[:1] if one else fds, seq)
    for _, fd in fds:
        os.fsync(fd)
    print(sum(s.blocks for s in array.sets[1:]), "map blocks on each of the members that never sleep, which are", len(fds))


if __name__ == "__main__":
    main()
