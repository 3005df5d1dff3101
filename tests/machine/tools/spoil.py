#!/usr/bin/python3
"""Damage raid-par's metadata on members of a stopped array, in one of several ways.

  spoil.py KIND [--newest] DEVICE...
  spoil.py torn --blocks all|intent|map|slot DEVICE...
  spoil.py cut --blocks all|intent|map|slot DEVICE...
  spoil.py seq DEVICE...
  spoil.py blocks DEVICE...
  spoil.py older DEVICE...
  spoil.py sectors [--other] --blocks all|intent|map|slot DEVICE

Both superblocks of each device are damaged; with --newest only the newer one, with --blocks
the newer version of each intent, map or slot map block (all: the first two). Kinds:

  torn      the second half has other content
  corrupt   the whole block has other content
  foreign   a valid block of another array
  version   a valid block of another version
  geometry  a valid block of an array of another shape
  range     a valid block with values that raid-par never stores

Or a valid block of this array with an impossible value:

  speeds    propagation at 0 KiB/s
  events    the sets' event counts are about to wrap
  gear      in each intent block: the first zone was written in gear 31, which does not exist
  half      in each map block of the home set: in each written row, one sleeper's segment is
            unwritten

With cut, the older version of each block becomes the first half of one that is newer than any:
a store that was cut short.

seq only says the sequence number of the newer superblock of each device, blocks those of the
newer version of each intent and map block, in a line, and older those of the older version,
0 if there is none. sectors says at which sectors of the device the newer version of each
block is; with --other, where the next version will be.
"""
import argparse
import os
import struct
import sys

from dissect import BLOCK, SECTOR, Array, Member, crc32c, sealed

SUPERS = (0, 8)
BLOCKS = 128
PAIR = 16
KINDS = {"all": (1, 2), "intent": (1,), "map": (2,), "slot": (4,)}
# The place of a field, its format, and the value for an exclusive or.
FIELDS = {"version": (12, "<I", 4), "foreign": (64, "<Q", 1), "geometry": (96, "<I", 0x300), "range": (148, "<I", 1 << 31)}


# Place, format, new value.
VALUES = {"speeds": [(152, "<I", 0), (156, "<I", 0)],
          "events": [(296 + 48 * i, "<Q", (1 << 64) - 2) for i in range(27)]}
INSIDE = {"gear": "intent", "half": "map"}
PAYLOAD = 64


def sealed_anew(raw, crc_at):
    raw[crc_at:crc_at + 4] = bytes(4)
    struct.pack_into("<I", raw, crc_at, crc32c(bytes(raw)))
    return bytes(raw)


def impossible(raw, kind):
    """A superblock or block with an impossible value and a right checksum."""
    raw = bytearray(raw)
    for offset, form, value in VALUES.get(kind, []):
        struct.pack_into(form, raw, offset, value)
    if kind == "gear":
        raw[PAYLOAD] |= 31
    if kind == "half":  # of the layout 3,5: two rows a byte
        for at in range(PAYLOAD, PAYLOAD + 3840):
            raw[at] &= 0xcc
    return sealed_anew(raw, 4 if kind in INSIDE else 8)


def changed(raw, field):
    """The superblock with another value in a field, and a right checksum."""
    offset, form, bits = FIELDS[field]
    raw = bytearray(raw)
    if field == "foreign":  # neither md nor its own epoch knows it
        raw[40] ^= 1
    struct.pack_into(form, raw, offset, struct.unpack_from(form, raw, offset)[0] ^ bits)
    struct.pack_into("<I", raw, 8, crc32c(bytes(raw[:8]) + bytes(4) + bytes(raw[12:])))
    return bytes(raw)


def spoilt(raw, kind):
    if kind in VALUES or kind in INSIDE:
        return impossible(raw, kind)
    if kind == "torn":
        return raw[:BLOCK // 2] + os.urandom(BLOCK // 2)
    return os.urandom(BLOCK) if kind == "corrupt" else changed(raw, kind)


class Disk(Member):
    def newest_super(self):
        """Sequence number and sector."""
        good = [(struct.unpack_from("<Q", raw, 72)[0], sector)
                for sector, raw in ((s, self.read(s, 8)) for s in SUPERS)
                if raw[:8] == b"RAIDPAR\0" and sealed(raw, 8)]
        return max(good)

    def block_versions(self, kinds):
        """For each existing block of these kinds: number and sector of each version."""
        _, sector = self.newest_super()
        meta, = struct.unpack_from("<Q", self.read(sector, 8), 112)
        for pair in range(BLOCKS, meta - PAIR + 1, PAIR):
            found = [(struct.unpack_from("<Q", raw, 24)[0], at)
                     for at, raw in ((at, self.read(at, 8)) for at in (pair, pair + 8))
                     if raw[:4] == b"PARB" and raw[8] in kinds and sealed(raw, 4)]
            if found:
                yield sorted(found)

    def newest_blocks(self, kinds):
        """The sector of the newer version of each block."""
        return (found[-1][1] for found in self.block_versions(kinds))

    def older_versions(self, kinds):
        """The number of the older version of each block, or 0."""
        return (found[0][0] if len(found) > 1 else 0 for found in self.block_versions(kinds))

    @staticmethod
    def other(sector):
        """The sector of the other slot of the block whose newer version is there."""
        return 2 * ((sector - BLOCKS) // PAIR * PAIR + BLOCKS) + 8 - sector

    def cut(self, sector):
        raw = bytearray(self.read(sector, 8))
        struct.pack_into("<Q", raw, 24, struct.unpack_from("<Q", raw, 24)[0] + (1 << 40))
        self.write(self.other(sector), bytes(raw[:BLOCK // 2]) + os.urandom(BLOCK // 2))

    def index(self, sector):
        """The index of the block there among the blocks of its kind."""
        return struct.unpack_from("<I", self.read(sector, 8), 12)[0]

    def seq(self, sector):
        """The sequence number of the block there."""
        return struct.unpack_from("<Q", self.read(sector, 8), 24)[0]

    def write(self, sector, raw):
        fd = os.open(self.path, os.O_WRONLY)
        os.pwrite(fd, raw, (self.data_offset + sector) * SECTOR)
        os.fsync(fd)
        os.close(fd)

    def spoil(self, sector, kind):
        self.write(sector, spoilt(self.read(sector, 8), kind))


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("kind", choices=["torn", "corrupt", "cut", "seq", "blocks", "older", "sectors", *FIELDS, *VALUES, *INSIDE])
    parser.add_argument("--newest", action="store_true")
    parser.add_argument("--other", action="store_true")
    parser.add_argument("--blocks", choices=KINDS)
    parser.add_argument("--every", nargs="+", metavar="DEVICE", action="extend",
                        help="with half of some devices: all of the array, in order")
    parser.add_argument("devices", nargs="+", metavar="DEVICE")
    options = parser.parse_args()
    home = Array(options.every or options.devices).home.block_base if options.kind == "half" else 0
    for disk in map(Disk, options.devices):
        if options.kind == "seq":
            print(disk.newest_super()[0])
            continue
        if options.kind == "blocks":
            print(*(disk.seq(sector) for sector in disk.newest_blocks(KINDS["all"])))
            continue
        if options.kind == "sectors":
            print(*(disk.data_offset + (disk.other(sector) if options.other else sector)
                    for sector in disk.newest_blocks(KINDS[options.blocks])))
            continue
        if options.kind == "older":
            print(*disk.older_versions(KINDS["all"]))
            continue
        sectors = SUPERS
        if options.newest:
            sectors = [disk.newest_super()[1]]
        elif options.blocks or options.kind in INSIDE:
            sectors = list(disk.newest_blocks(KINDS[options.blocks or INSIDE[options.kind]]))
        if options.kind == "half":
            sectors = [s for s in sectors if disk.index(s) >= home]
        for sector in sectors:
            if options.kind == "cut":
                disk.cut(sector)
            else:
                disk.spoil(sector, options.kind)
    return 0


if __name__ == "__main__":
    sys.exit(main())
