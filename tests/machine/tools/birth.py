#!/usr/bin/python3
"""Write the birth record of a new array with images of a share to each device, as mdadm's --image-share does.

For sizes that mdadm leaves to the module: those of runs, of tracts, and of members that never sleep.

  birth.py [--log SECTORS] [--run SECTORS] [--tract SECTORS] [--steady SECTORS] SHARE UUID OFFSET DEVICE...

SHARE in percent, UUID as 32 hexadecimal digits in the order of the bytes, OFFSET of the data area in sectors.
"""
import argparse
import os
import struct

import dissect


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    for name in ("log", "run", "tract", "steady"):
        parser.add_argument(f"--{name}", type=int, default=0)
    parser.add_argument("share", type=int)
    parser.add_argument("uuid", type=bytes.fromhex)
    parser.add_argument("offset", type=int)
    parser.add_argument("devices", nargs="+")
    wanted = parser.parse_args()
    raw = bytearray(struct.pack("<8s2I16sQ4IQ", b"RAIDPARB", 0, 0, wanted.uuid, wanted.log, wanted.share,
                                wanted.run, wanted.tract, 0, wanted.steady))
    raw += bytes(dissect.BLOCK - len(raw))
    struct.pack_into("<I", raw, 8, dissect.crc32c(bytes(raw)))
    for path in wanted.devices:
        device = os.open(path, os.O_WRONLY)
        os.pwrite(device, raw, (wanted.offset + 32) * dissect.SECTOR)
        os.fsync(device)
        os.close(device)


if __name__ == "__main__":
    main()
