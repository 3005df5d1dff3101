# SPDX-License-Identifier: GPL-2.0
"""The primary that Ceph picks in a placement group (PG): hash, seed and primary affinity.

The arithmetic is that of Ceph's crush_hash32_2() (rjenkins1), pg_pool_t::raw_pg_to_pps() for pools with the
flag hashpspool (the default since 2014), and OSDMap::_apply_primary_affinity().
"""
MASK = 0xffffffff
FULL = 0x10000      # an affinity of 1.0, as in the OSD map


def _mix(a, b, c):
    a = (a - b - c) & MASK ^ c >> 13
    b = (b - c - a) & MASK ^ (a << 8) & MASK
    c = (c - a - b) & MASK ^ b >> 13
    a = (a - b - c) & MASK ^ c >> 12
    b = (b - c - a) & MASK ^ (a << 16) & MASK
    c = (c - a - b) & MASK ^ b >> 5
    a = (a - b - c) & MASK ^ c >> 3
    b = (b - c - a) & MASK ^ (a << 10) & MASK
    c = (c - a - b) & MASK ^ b >> 15
    return a, b, c


def hash2(a, b):
    """Ceph's hash of two 32-bit numbers: a number of 32 bits."""
    a &= MASK
    b &= MASK
    h = 1315423911 ^ a ^ b
    x, y = 231232, 1232
    a, b, h = _mix(a, b, h)
    x, a, h = _mix(x, a, h)
    b, y, h = _mix(b, y, h)
    return h


def placement_seed(pool, pg, pgp_num):
    """The seed of PG number `pg` of the pool with number `pool` and `pgp_num` placement groups (at least 1)."""
    mask = (1 << (pgp_num - 1).bit_length()) - 1
    low = pg & mask
    return hash2(low if low < pgp_num else pg & mask >> 1, pool)


def primary(osds, seed, affinity):
    """The primary of a PG.

    osds: its OSDs in CRUSH's order, not empty. A dump shows them in this order only while all affinities are
    1.0: Ceph moves the primary of a replicated PG to the front.
    seed: placement_seed(). affinity: {osd: 0 to FULL}; OSDs that it lacks have FULL.
    """
    fallback = None
    for osd in osds:
        value = affinity.get(osd, FULL)
        if value >= FULL or hash2(seed, osd) >> 16 < value:
            return osd
        if fallback is None:
            fallback = osd
    return fallback
