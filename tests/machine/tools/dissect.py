#!/usr/bin/python3
"""Check the content of the disks of a stopped par array, according to the documents, not to
the module's code.

  dissect.py [--compare FILE] [--expect-gear N] [--geometry|--home|--hours|--log|--where CHUNK] DEVICE...

The devices may be in any order: the superblock of each says which member it is, and a device
without a superblock takes a free place. In every written row of every set the parities, P and
Q, must be right; the two copies of a segment whose state is "both" must be equal; one whose state
is "both" or "image" must have a slot, if images are of a share; no intent may be set. Rows with lost blocks are skipped. The write log must have a complete copy of each record up to
the last flushed one, complete copies of the same run must be equal, and none of the last run may have a newer tail
than the superblock. If a summary of a unit of the log counts at a start, each copy that it names
must have the records that it tells of; no summary of the last run may be of a unit behind the
last record. Members that the
superblock calls absent from the log are left out. Prints the number of rows, segments, records
and units with a summary that were checked.

--compare also reads the array's content, with that of the log, and compares it with FILE.
The other options only print places:
--log        the first and the last sector of the log on each device, and the sector of each
             copy of each record
--geometry   the size of the metadata
--home       the first sector of the home region on the first device
--hours      for each hour of the past week whose loads are known, in the order of the superblock:
             the hour, the mean load and the peak in 1/10000, and the number of misses
--parity N   for each written row of the set of N members, the member and the sector of its
             device that have P; not if only an image of it is valid
--where      the member and the sector at which the home copy of a chunk of the array begins; in
             further lines the same for its image, if it has one, and for the image of that image
"""
import argparse
import ctypes
import os
import struct
import sys

SECTOR = 512
BLOCK = 4096
PAYLOAD = 3840
ZONE_ROWS = 512
UNIT = 128
SUMMARY_UNITS = 32  # a smaller log has no summaries
UNWRITTEN, BOTH, HOME, IMAGE = range(4)
PARITIES = {0: 1, 1: 2, 2: 0}


class Wrong(Exception):
    pass


def keep_memory():
    """Keep freed memory: page faults take most of the time in a test machine."""
    libc = ctypes.CDLL(None)
    libc.mallopt(-1, 1 << 30)  # M_TRIM_THRESHOLD
    libc.mallopt(-3, 1 << 30)  # M_MMAP_THRESHOLD


def crc32c_table():
    table = []
    for n in range(256):
        for _ in range(8):
            n = n >> 1 ^ (0x82f63b78 if n & 1 else 0)
        table.append(n)
    return table


CRC_TABLE = crc32c_table()


def crc32c(data, crc=0xffffffff):
    for byte in data:
        crc = CRC_TABLE[(crc ^ byte) & 0xff] ^ crc >> 8
    return crc


def sealed(raw, crc_at):
    """Is the block's checksum right? (With or without the final inversion.)"""
    stored = struct.unpack_from("<I", raw, crc_at)[0]
    crc = crc32c(raw[:crc_at] + bytes(4) + raw[crc_at + 4:])
    return stored in (crc, crc ^ 0xffffffff)


class Member:
    def __init__(self, path):
        self.path = path
        self.fd = os.open(path, os.O_RDONLY)
        md = os.pread(self.fd, 256, 4096)
        if md[:4] != b"\xfc\x4e\x2b\xa9":
            raise Wrong(f"{path}: no md superblock")
        self.data_offset = struct.unpack_from("<Q", md, 128)[0]

    def read(self, sector, count):
        want = count * SECTOR
        data = os.pread(self.fd, want, (self.data_offset + sector) * SECTOR)
        if len(data) != want:
            raise Wrong(f"{self.path}: short read")
        return data

    def supers(self):
        for slot in (0, 8):
            raw = self.read(slot, 8)
            if raw[:8] == b"RAIDPAR\0" and sealed(raw, 8):
                yield raw


class Set:
    """A parity array over the first members: its place, and its map."""

    def __init__(self, array, number, members, start, sectors):
        self.array, self.number, self.members = array, number, members
        self.start, self.sectors = start, sectors
        self.rows = sectors // array.segment
        sleepers = members - array.gears[0]
        self.width = 2 * sleepers if sleepers else 1
        self.zones = -(-self.rows // ZONE_ROWS)
        self.block_zones = PAYLOAD * 8 // ZONE_ROWS // self.width
        self.blocks = -(-self.zones // self.block_zones)
        self.zone_base = self.block_base = 0
        self.map = {}

    def state(self, row, d):
        """The state of member d's segment; BOTH or UNWRITTEN for members that never sleep."""
        zone, at = divmod(row, ZONE_ROWS)
        block, index = divmod(zone, self.block_zones)
        payload = self.map.get(block)
        if payload is None:
            return UNWRITTEN
        low = self.array.gears[0]
        bit = index * self.width * ZONE_ROWS + at * self.width
        if d >= low:
            bit += 2 * (d - low)
        mask = 1 if self.width == 1 else 3
        value = payload[bit // 8] >> bit % 8 & mask
        return value if d >= low else BOTH if value else UNWRITTEN

    def written(self, row):
        return self.state(row, self.members - 1) != UNWRITTEN

    def home(self, row, d):
        a = self.array
        return a.member[d].read(a.place_on(self, row * a.segment), a.segment)

    def image_at(self, row, d):
        """The gear set that images segment `row` of sleeper d, and which segment of it."""
        a = self.array
        gear = a.image_set(d)
        low, high = a.gears[gear - 1], a.gears[gear]
        x = (self.start - a.meta + row * a.segment) // a.segment
        if a.slots:
            x = a.slots.slot_segment(gear, x)
        return a.sets[gear], x * (high - low) + d - low

    def image(self, row, d):
        gear_set, segment = self.image_at(row, d)
        return gear_set.read_segment(segment)

    def content(self, row, d):
        """The content of member d in this row, from its home copy or its image."""
        state = self.state(row, d)
        if state == UNWRITTEN:
            return bytes(self.array.segment * SECTOR)
        return self.image(row, d) if state == IMAGE else self.home(row, d)

    def place(self, chunk):
        """md's left-symmetric: the stripe and member of a chunk of the set."""
        n, parities = self.members, self.array.parities
        stripe, k = divmod(chunk, n - parities)
        if not parities:
            return stripe, k
        return stripe, (self.p_member(stripe) + parities + k) % n

    def p_member(self, stripe):
        """The member with P in this stripe of chunks; Q is on the next member."""
        return self.members - 1 - stripe % self.members

    def stripe(self, row):
        return row * self.array.segment // self.array.chunk

    def p_places(self):
        """Member and sector of each P on a home copy that is valid."""
        a = self.array
        for row in range(self.rows):
            d = self.p_member(self.stripe(row))
            if self.state(row, d) in (BOTH, HOME):
                yield d, a.member[d].data_offset + a.place_on(self, row * a.segment)

    def segment_at(self, segment):
        """The row and member of a segment of the set's content."""
        per_chunk = self.array.chunk // self.array.segment
        chunk, within = divmod(segment, per_chunk)
        stripe, d = self.place(chunk)
        return stripe * per_chunk + within, d

    def read_segment(self, segment):
        return self.content(*self.segment_at(segment))

    def __str__(self):
        return f"the set of {self.members}"


class Slots:
    """Images of a share: which slot each run has, and where tracts lie."""

    def __init__(self, array, raw):
        self.array = array
        self.share, self.run, self.tract, self.steady = struct.unpack_from("<3I4xQ", raw, 200)
        fill_bytes, fill_time = struct.unpack_from("<QI", raw, 224)
        if (fill_bytes and not 1 << 20 <= fill_bytes <= 1 << 50) or fill_time > 86400:
            raise Wrong(f"a shift down may fill {fill_bytes} bytes in {fill_time} s")
        self.tracts = -(-array.home.sectors // self.tract)
        self.counts, self.slot, self.places = {}, {}, {}
        for gear in range(len(array.gears) - 1, 0, -1):
            runs = -(-(array.sets[gear].start - array.meta) // self.run)
            slots = -(-runs * self.share // 100)
            if gear == 1:
                data = array.gears[0] - array.parities
                each = (array.gears[1] - array.gears[0]) * self.run
                slots = max(slots, min(runs, array.sets[1].sectors * data // each))
            self.counts[gear] = runs, slots

    def load(self, sector):
        """The blocks of the slot maps: of the highest band first."""
        index = 0
        for gear, (runs, slots) in self.counts.items():
            self.slot[gear] = {}
            for block in range(-(-slots // 960)):
                payload = self.array.newest_block(4, sector + 16 * index, index)
                index += 1
                for k, run in enumerate(struct.unpack("<960I", payload)):
                    if run and (run > runs or block * 960 + k >= slots):
                        raise Wrong(f"band {gear}: slot {block * 960 + k} has run {run - 1}")
                    if run and self.slot[gear].setdefault(run - 1, block * 960 + k) != block * 960 + k:
                        raise Wrong(f"band {gear}: run {run - 1} has two slots")

    def slot_segment(self, gear, segment):
        """Segment `segment` of a sleeper's as it would be counted if each run had the slot of its number."""
        run, within = divmod(segment, self.run // self.array.segment)
        if run not in self.slot[gear]:
            raise Wrong(f"band {gear}: run {run} has an image and no slot")
        return self.slot[gear][run] * (self.run // self.array.segment) + within

    def lay_down(self):
        """By set, where each chunk lies on its members: tract by tract, then the rest of the lowest gear's."""
        array, at = self.array, self.array.meta
        top = len(array.gears)
        places = {number: [] for number in range(1, top + 1)}
        chunks = {number: array.sets[number].sectors // array.chunk for number in places}
        room = (array.dev_sectors - array.sets[1].start) // array.chunk     # of a sleeper
        tracted = {**chunks, 1: min(chunks[1], room)}
        each = self.tract // array.chunk
        for t in range(self.tracts):
            parts = [(top, min(each, chunks[top] - each * t))]
            parts += [(n, tracted[n] * (t + 1) // self.tracts - tracted[n] * t // self.tracts)
                      for n in range(top - 1, 0, -1)]
            for number, count in parts:
                for _ in range(count):
                    places[number].append(at)
                    at += array.chunk
        places[1] += range(at, at + (chunks[1] - tracted[1]) * array.chunk, array.chunk)
        return places

    def place_on(self, s, sector):
        self.places = self.places or self.lay_down()
        chunk, within = divmod(sector, self.array.chunk)
        return self.places[s.number][chunk] + within

    def __str__(self):
        used = sum(len(slots) for slots in self.slot.values())
        return f"{used} of {sum(slots for _, slots in self.counts.values())} slots"


class Summary:
    """What the summary of a unit of the log says, if it is one."""

    def __init__(self, raw, epoch):
        magic, _, its_epoch, self.run, self.pos, self.tail, self.copies, self.records = \
            struct.unpack_from("<2I4Q2I", raw)
        self.good = magic == 0x55524150 and its_epoch == epoch and sealed(raw, 4)
        self.entries = raw[64:64 + 12 * UNIT]


class Log:
    """The write log: its records from the tail on, and their content."""

    def __init__(self, array, raw):
        self.array, self.records, self.blocks = array, [], {}
        self.sectors = self.tail = self.end = self.summaries = 0
        if any(raw[160:168]):
            self.sectors, self.tail, self.stable, self.run, self.absent, left = \
                struct.unpack_from("<4Q2I", raw, 160)
            self.members, self.copies = array.gears[0], array.parities + 1
            units = self.units_of(self.sectors)
            if units >= SUMMARY_UNITS:
                units = self.leave_summaries(units)
                self.summaries_from, = struct.unpack_from("<Q", raw, 240)
            self.ring = (units - (left if left < units else 0)) * UNIT
            self.units = self.summarized = 0
            self.walk()

    def units_of(self, sectors):
        return min(sectors // (UNIT * BLOCK // SECTOR) * self.members // self.copies, 1 << 24)

    def leave_summaries(self, units):
        """The area ends with a summary for each unit that it would have without summaries."""
        self.summaries = self.array.meta - units * BLOCK // SECTOR
        return self.units_of(self.sectors - units * BLOCK // SECTOR)

    def places(self, pos):
        """Where each copy of a position is: the member, and the sector of its data area."""
        unit, at = divmod(pos % self.ring, UNIT)
        for number in range(unit * self.copies, (unit + 1) * self.copies):
            row, d = divmod(number, self.members)
            yield d, self.array.meta - self.sectors + (row * UNIT + at) * BLOCK // SECTOR

    def record(self, d, sector, pos, run):
        """The record of member d there, if it is complete and not older than the last record."""
        raw = self.array.member[d].read(sector, BLOCK // SECTOR)
        magic, _, epoch, its_run, its_pos = struct.unpack_from("<2I3Q", raw)
        count, = struct.unpack_from("<I", raw, 40)
        if (magic, epoch, its_pos) != (0x4c524150, self.array.epoch, pos) or \
                not run <= its_run <= self.run or not 0 < count < UNIT - pos % UNIT or \
                not sealed(raw, 4):
            return None
        its_tail, = struct.unpack_from("<Q", raw, 48)
        if its_run == self.run and its_tail > self.tail:
            raise Wrong(f"the record at {pos} was made with the tail {its_tail}, not {self.tail}")
        raw += self.array.member[d].read(sector + BLOCK // SECTOR, count * BLOCK // SECTOR)
        for i in range(count):
            crc, = struct.unpack_from("<I", raw, 64 + 12 * i + 8)
            if crc != crc32c(raw[(i + 1) * BLOCK:(i + 2) * BLOCK]):
                return None
        return raw

    def walk(self):
        pos, run = self.tail, 0
        limit = self.tail - self.tail % UNIT + self.ring
        unit = None     # where it begins, the last run before it, and the copies of its records
        while pos < limit:
            if pos % UNIT == 0:
                self.check_unit(unit)
                unit = pos, run, []
            found = [None if self.absent >> d & 1 else self.record(d, sector, pos, run)
                     for d, sector in self.places(pos)]
            whole = max((raw for raw in found if raw), default=None,
                        key=lambda raw: struct.unpack_from("<Q", raw, 16)[0])
            if whole is None:
                break
            run, = struct.unpack_from("<Q", whole, 16)
            if any(raw and raw != whole and struct.unpack_from("<Q", raw, 16)[0] == run
                   for raw in found):
                raise Wrong(f"the log: the copies of the record at {pos} differ")
            self.records.append(pos)
            if unit:
                unit[2].append([whole if raw == whole else None for raw in found])
            self.take(whole)
            pos += len(whole) // BLOCK
            pos += pos % UNIT == UNIT - 1
        self.end = pos
        if pos < self.stable:
            raise Wrong(f"the log ends at {pos}, and up to {self.stable} it had been flushed")
        self.check_unit(unit)
        self.units = -(-pos // UNIT) - self.tail // UNIT if self.records else 0
        for pos in range(-(-pos // UNIT) * UNIT, limit, UNIT):
            self.check_unit((pos, run, []))

    def summaries_at(self, pos):
        """By member, the summaries of the unit there."""
        for d in range(self.members):
            if self.summaries and not self.absent >> d & 1:
                sector = self.summaries + pos % self.ring // UNIT * BLOCK // SECTOR
                summary = Summary(self.array.member[d].read(sector, BLOCK // SECTOR), self.array.epoch)
                if summary.good and summary.pos == pos:
                    yield d, summary

    def check_unit(self, unit):
        """If a summary of the unit counts, the unit must have what it says."""
        counts = False
        for d, summary in self.summaries_at(unit[0]) if unit else ():
            pos, run, records = unit
            if summary.run == self.run and summary.tail > self.tail:
                raise Wrong(f"member {d}: the summary at {pos} was made with the tail "
                            f"{summary.tail}, not {self.tail}")
            if max(run, self.summaries_from) <= summary.run <= self.run and \
                    (pos + UNIT <= self.stable or summary.run == self.run):
                self.check_summary(f"the summary of member {d} at {pos}", summary, records)
                counts = True
        self.summarized += counts

    def check_summary(self, name, summary, records):
        entries = bytearray(12 * UNIT)
        for copies in records:
            whole = next(raw for raw in copies if raw)
            pos, = struct.unpack_from("<Q", whole, 24)
            count = len(whole) // BLOCK - 1
            entries[12 * (pos % UNIT + 1):12 * (pos % UNIT + 1 + count)] = whole[64:64 + 12 * count]
            if struct.unpack_from("<Q", whole, 16)[0] != summary.run:
                raise Wrong(f"{name} is of run {summary.run}, and the record at {pos} is not")
        if len(records) != summary.records or entries != summary.entries:
            raise Wrong(f"{name} is of {summary.records} records, which are not those of the unit: {len(records)}")
        if not 0 < summary.copies < 1 << self.copies:
            raise Wrong(f"{name} names the copies {summary.copies:#x}")
        for copy, (d, _) in enumerate(self.places(summary.pos)):
            if summary.copies >> copy & 1 and not self.absent >> d & 1 and \
                    not all(copies[copy] for copies in records):
                raise Wrong(f"{name} names copy {copy}, which lacks a record")

    def take(self, raw):
        for i in range(len(raw) // BLOCK - 1):
            low, high, mask = struct.unpack_from("<IHB", raw, 64 + 12 * i)
            block = self.blocks.setdefault(low | high << 32, [None] * 8)
            for k in range(8):
                if mask >> k & 1:
                    at = (i + 1) * BLOCK + k * SECTOR
                    block[k] = raw[at:at + SECTOR]

    def over(self, sector, data):
        """The array's content from a sector on, including the content of the log."""
        data = bytearray(data)
        for at in range(0, len(data), BLOCK):
            for k, text in enumerate(self.blocks.get((sector * SECTOR + at) // BLOCK, ())):
                if text:
                    data[at + k * SECTOR:at + (k + 1) * SECTOR] = text
        return bytes(data)

    def tell(self):
        for member in self.array.member[:self.members]:
            first = member.data_offset + self.array.meta - self.sectors
            print(member.path, first, first + self.sectors - 1)
        for pos in self.records:
            print(pos, *(f"{self.array.member[d].path}:{self.array.member[d].data_offset + sector}"
                         for d, sector in self.places(pos)))

    def __str__(self):
        told = f"{len(self.records)} records of {len(self.blocks)} blocks in the log"
        return f"{told}, {self.summarized} of {self.units} units summarized" if self.summaries else told


class Hours:
    """The loads and the misses of each hour of the past week."""

    UNKNOWN = 0xffff
    MOST = 0x3ffe
    MISSES = 0, 1, 2, 3, 4, 5, 6, 7, 8, 10, 12, 14, 16, 20, 24, 30

    def __init__(self, raw, slots):
        newest, = struct.unpack_from("<Q", raw, 2768)
        self.known = []
        for place in range(168):
            mean, peak = struct.unpack_from("<2H", raw, 2776 + 4 * place)
            if (mean == self.UNKNOWN) != (peak == self.UNKNOWN):
                raise Wrong(f"hour {place}: one load is known")
            if mean == self.UNKNOWN:
                continue
            kind = mean >> 14 | peak >> 14 << 2
            mean, peak = mean & 0x3fff, peak & 0x3fff
            if mean > self.MOST or peak > self.MOST:
                raise Wrong(f"hour {place}: loads {mean} and {peak}")
            if kind and not slots:
                raise Wrong("hours have misses, without slots")
            self.known.append((newest - (newest - place) % 168, mean, peak, self.MISSES[kind]))

    def tell(self):
        for hour in self.known:
            print(*hour)


def times_two(value, size):
    """Every byte of a big integer times 2 in the field of RAID-6."""
    ones = int.from_bytes(b"\1" * size, "little")
    high = value >> 7 & ones
    return ((value & ones * 0x7f) << 1) ^ high * 0x1d


def in_order(members):
    """Order the devices by member: two disks may have returned in each other's place."""
    places, rest = [None] * len(members), []
    for member in members:
        newest = max(member.supers(), default=None,
                     key=lambda raw: struct.unpack_from("<Q", raw, 72)[0])
        place = struct.unpack_from("<I", newest, 136)[0] if newest else len(places)
        if place < len(places) and places[place] is None:
            places[place] = member
        else:
            rest.append(member)
    return [member or rest.pop(0) for member in places]


class Array:
    def __init__(self, paths):
        self.member = in_order([Member(path) for path in paths])
        self.current, raw = self.newest_super()
        self.seq, = struct.unpack_from("<Q", raw, 72)
        self.epoch, = struct.unpack_from("<Q", raw, 64)
        layout, members, self.chunk, self.segment = struct.unpack_from("<4I", raw, 88)
        self.dev_sectors, self.meta, self.size = struct.unpack_from("<3Q", raw, 104)
        count, self.gear, _, self.clean = struct.unpack_from("<4I", raw, 128)
        self.parities = PARITIES[layout >> 28]
        self.gears = [n for n in range(1, 29) if layout >> n - 1 & 1]
        if members != len(paths) or self.gears[-1] != members or count != len(self.gears):
            raise Wrong(f"superblock of {members} members, gears {self.gears}, {count} sets")
        self.sets = [None]
        for i in range(count):
            start, sectors = struct.unpack_from("<2Q", raw, 256 + 48 * i)
            self.sets.append(Set(self, i + 1, self.gears[i], start, sectors))
        self.home = self.sets[-1]
        self.slots = Slots(self, raw) if any(raw[200:204]) else None
        self.hours = Hours(raw, self.slots)
        self.check_geometry()
        self.load_map()
        self.lost = self.load_lost(raw)
        self.log = Log(self, raw)

    def newest_super(self):
        """The newest superblock, and the members that have it."""
        best, owners = None, []
        for d, member in enumerate(self.member):
            for raw in member.supers():
                seq = struct.unpack_from("<Q", raw, 72)[0]
                if best is None or seq > best[0]:
                    best, owners = (seq, raw), []
                if seq == best[0]:
                    owners.append(d)
        if best is None:
            raise Wrong("no superblock")
        return owners, best[1]

    def where(self, chunk):
        """Member and sector of a chunk's home copy, of its image, of that one's."""
        s, segment = self.home, chunk * (self.chunk // self.segment)
        while True:
            row, d = s.segment_at(segment)
            yield d, self.member[d].data_offset + self.place_on(s, row * self.segment)
            if d < self.gears[0]:
                return
            s, segment = s.image_at(row, d)

    def place_on(self, s, sector):
        """The sector of a member's data area that has this sector of a set's region."""
        return self.slots.place_on(s, sector) if self.slots else s.start + sector

    def image_set(self, d):
        return max(i for i in range(1, len(self.gears)) if self.gears[i - 1] <= d)

    def check_geometry(self):
        """Regions in their order, without overlap, images large enough; the
        capacity is what the lowest gear alone would have, but for rounding."""
        end = self.meta
        for i in range(len(self.gears), 0, -1):
            s = self.sets[i]
            if s.start != end or s.sectors % self.chunk:
                raise Wrong(f"{s}: starts at {s.start}, should at {end}")
            if i < len(self.gears):
                imaged = (s.start - self.meta) * (self.gears[i] - self.gears[i - 1])
                if self.slots:
                    imaged = self.slots.counts[i][1] * self.slots.run * (self.gears[i] - self.gears[i - 1])
                if s.sectors * (self.gears[i - 1] - self.parities) < imaged:
                    raise Wrong(f"{s}: too small for its images")
            end += s.sectors
        if end > (self.slots.steady if self.slots else self.dev_sectors):
            raise Wrong(f"regions end at {end} of {self.dev_sectors}")
        if self.size != self.home.sectors * (self.gears[-1] - self.parities):
            raise Wrong(f"size {self.size}")
        best = (self.dev_sectors - self.meta) * (self.gears[0] - self.parities)
        if self.slots:
            return
        if not best - self.chunk * self.gears[-1] ** 2 <= self.size <= best:
            raise Wrong(f"size {self.size}, the formula says {best}")

    def newest_block(self, kind, sector, index):
        best = None
        # A member that may sleep has none, unless it has been another member before.
        for d in (d for d in self.current if d < self.gears[0]):
            for slot in (0, 8):
                raw = self.member[d].read(sector + slot, 8)
                magic, _, its_kind, its_index = struct.unpack_from("<4I", raw)
                epoch, seq = struct.unpack_from("<2Q", raw, 16)
                if (magic, its_kind, its_index, epoch) != (0x42524150, kind, index, self.epoch) \
                        or not sealed(raw, 4):
                    continue
                if best is None or seq > best[0]:
                    best = seq, raw
        if best is None:
            raise Wrong(f"block {index} of kind {kind} is nowhere")
        return best[1][64:64 + PAYLOAD]

    def load_map(self):
        zones = blocks = 0
        for s in reversed(self.sets[1:]):
            s.zone_base, s.block_base = zones, blocks
            zones += s.zones
            blocks += s.blocks
        intent_blocks = -(-zones // PAYLOAD)
        intents = b"".join(self.newest_block(1, 128 + 16 * i, i) for i in range(intent_blocks))
        if any(byte & 0x1f for byte in intents[:zones]):
            raise Wrong("an intent is set, though the array was stopped")
        if not self.clean & 1:
            raise Wrong("the superblock does not say clean, though the array was stopped")
        for s in self.sets[1:]:
            for zone in range(s.zones):
                block = zone // s.block_zones
                if intents[s.zone_base + zone] & 0x80 and block not in s.map:
                    index = s.block_base + block
                    sector = 128 + 16 * (intent_blocks + index)
                    s.map[block] = self.newest_block(2, sector, index)
        if self.slots:
            self.slots.load(128 + 16 * (intent_blocks + blocks))

    def load_lost(self, raw):
        """Rows with blocks that no copy has: pairs of a set's number and a row."""
        if not struct.unpack_from("<I", raw, 140)[0] & 2:
            return set()
        payload = self.newest_block(3, 16, 0)
        rows = set()
        for i in range(struct.unpack_from("<I", payload)[0]):
            sector, sectors, number, _ = struct.unpack_from("<QIBB", payload, 16 + 16 * i)
            for row in range(sector // self.segment, (sector + sectors - 1) // self.segment + 1):
                rows.add((number, row))
        return rows

    def check_parity(self, s, row, segments):
        size = len(segments[0])
        numbers = [int.from_bytes(text, "little") for text in segments]
        n = s.members
        p = s.p_member(s.stripe(row))
        q = (p + 1) % n if self.parities == 2 else None
        total = q_total = 0
        for k in range(n - self.parities - 1, -1, -1):
            data = numbers[(p + self.parities + k) % n]
            total ^= data
            q_total = times_two(q_total, size) ^ data
        if total != numbers[p]:
            raise Wrong(f"{s}: row {row}: P (member {p}) is wrong, "
                        f"states {[s.state(row, d) for d in range(n)]}")
        if q is not None and q_total != numbers[q]:
            raise Wrong(f"{s}: row {row}: Q (member {q}) is wrong")

    def check_row(self, s, row):
        for d in range(self.gears[0], s.members):
            state = s.state(row, d)
            if state == UNWRITTEN:
                raise Wrong(f"{s}: row {row} is half written")
            if state == BOTH and s.home(row, d) != s.image(row, d):
                raise Wrong(f"{s}: row {row}: the copies of member {d} differ")
        if self.parities:
            self.check_parity(s, row, [s.content(row, d) for d in range(s.members)])

    def check(self):
        told = []
        for s in self.sets[1:]:
            rows = [row for row in range(s.rows) if s.written(row)]
            for row in rows:
                if (s.number, row) not in self.lost:
                    self.check_row(s, row)
            told.append(f"{len(rows)} rows of {s.members}")
        if self.slots:
            told.append(str(self.slots))
        if self.log.sectors:
            told.append(str(self.log))
        return ", ".join(told)

    def compare(self, path):
        with open(path, "rb") as file:
            for chunk in range(self.size // self.chunk):
                stripe, d = self.home.place(chunk)
                for i in range(self.chunk // self.segment):
                    row = stripe * (self.chunk // self.segment) + i
                    has = self.log.over(chunk * self.chunk + i * self.segment,
                                        self.home.content(row, d))
                    if has != file.read(self.segment * SECTOR):
                        raise Wrong(f"{path}: differs in chunk {chunk}, row {row} of member {d}")


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--compare", metavar="FILE")
    parser.add_argument("--expect-gear", type=int, metavar="N")
    parser.add_argument("--geometry", action="store_true")
    parser.add_argument("--home", action="store_true")
    parser.add_argument("--hours", action="store_true")
    parser.add_argument("--log", action="store_true")
    parser.add_argument("--parity", type=int, metavar="N")
    parser.add_argument("--where", type=int, metavar="CHUNK")
    parser.add_argument("devices", nargs="+", metavar="DEVICE")
    options = parser.parse_args()
    keep_memory()
    try:
        array = Array(options.devices)
        if options.expect_gear not in (None, array.gear):
            raise Wrong(f"gear {array.gear}, expected {options.expect_gear}")
        if options.geometry:
            print(f"# metadata {array.meta * SECTOR >> 10} KiB a member, segments of "
                  f"{array.segment // 2} KiB")
            return 0
        if options.home:
            print(array.member[0].data_offset + array.home.start)
            return 0
        if options.hours:
            array.hours.tell()
            return 0
        if options.log:
            array.log.tell()
            return 0
        if options.parity is not None:
            for s in array.sets[1:]:
                if s.members == options.parity:
                    for d, sector in s.p_places():
                        print(d, sector)
            return 0
        if options.where is not None:
            for d, sector in array.where(options.where):
                print(d, sector)
            return 0
        print(f"# gear {array.gear}: {array.check()}")
        if options.compare:
            array.compare(options.compare)
    except (Wrong, OSError) as error:
        print(f"dissect: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
