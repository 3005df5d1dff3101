# SPDX-License-Identifier: GPL-2.0
"""Who else acts on the cluster: Ceph comes first, then the administrator, then parfleet."""
import dataclasses

from . import scrub

# Flags of the OSD map with which an administrator tells Ceph to leave the cluster alone.
FLAGS = frozenset("""noup nodown noout noin nobackfill norebalance norecover noscrub nodeep-scrub nosnaptrim pauserd
    pausewr""".split())
FULL = frozenset("OSD_NEARFULL OSD_BACKFILLFULL OSD_FULL POOL_NEARFULL POOL_FULL".split())


def in_scope(obs):
    """The PGs that the groups hold."""
    return [pg for pg in obs.pgs if pg.pool in obs.layout.pools]


def members(obs):
    """The OSDs of all groups."""
    return [osd for group in obs.layout.groups for osd in group.osds]


def named(osds, most=8):
    """Some OSDs by name, for a line of text."""
    text = " ".join(f"osd.{osd}" for osd in osds[:most])
    return text + (f" and {len(osds) - most} more" if len(osds) > most else "")


def unwell(obs):
    """Reasons to keep all groups awake: OSDs or copies are missing. [] if there are none."""
    reasons = []
    down = [osd for osd in members(obs) if osd not in obs.osds or not obs.osds[osd].up]
    if down:
        reasons.append("OSDs are down: " + named(down))
    if obs.pgs.unwell:
        reasons.append(f"{obs.pgs.unwell} PGs lack copies, are damaged, or are recovering")
    wrong = obs.pgs.misplaced(obs.layout)
    if wrong:
        reasons.append(f"{wrong} PGs do not have one replica in each group")
    return reasons


def freezing(obs, state):
    """Reasons to keep all groups awake until they have been gone for an hour. [] if there are none.

    obs.layout may be None here: there are no groups any more.
    """
    reasons = []
    flags = sorted(obs.flags & FLAGS)
    if flags:
        reasons.append("flags are set: " + " ".join(flags))
    if len(obs.releases) > 1:
        reasons.append("OSDs run different versions: " + ", ".join(sorted(obs.releases)))
    changing = sorted(pool.name for pool in obs.pools.values() if pool.changing)
    if changing:
        reasons.append("the number of PGs is changing: " + " ".join(changing))
    if state.layout is not None and state.layout != obs.layout:
        reasons.append("groups, their OSDs, or pools have changed")
    return reasons


def debt(obs):
    """The scrub.Debt of the PGs in scope, each by the interval of its pool."""
    interval = {number: pool.deep or obs.scrub_interval for number, pool in obs.pools.items()}
    return scrub.debt((obs.now - pg.deep) / interval[pg.pool] for pg in in_scope(obs) if pg.deep is not None)


def unsettled(obs, state, options):
    """Reasons not to begin a shift down. [] if there are none. unwell() and freezing() are apart."""
    reasons = []
    if state.clean is None:
        reasons.append("not all PGs are active+clean")
    elif obs.now - state.clean < options.settle:
        reasons.append(f"all PGs are clean since {obs.now - state.clean:.0f} s, of {options.settle:.0f} s")
    full = sorted(obs.checks & FULL)
    if full:
        reasons.append("space is short: " + " ".join(full))
    late = debt(obs).late
    if late:
        reasons.append(f"{late} PGs are late for a deep scrub")
    return reasons


def current(obs, key):
    """The present value of a setting: of an OSD's affinity, or of an option of the monitors (None: not set)."""
    if isinstance(key, tuple):
        return obs.options.get(key)
    return obs.osds[key].affinity if key in obs.osds else None


def compare(obs, group):
    """The GroupState with each setting of ours compared with the cluster.

    A setting that was never seen to be what it is to be may still be on its way. One that was, and that has another
    value now, was changed by somebody else: it is theirs (foreign) from then on, and is never written again.
    """
    values, foreign = {}, list(group.foreign)
    for key, value in group.values.items():
        seen = current(obs, key)
        if seen is None and not isinstance(key, tuple):
            continue    # the OSD is gone
        if seen == value.now:
            values[key] = dataclasses.replace(value, confirmed=True)
        elif not value.confirmed and seen == value.last:
            values[key] = value
        else:
            foreign.append(key)
    return dataclasses.replace(group, values=values, foreign=tuple(foreign))
