# SPDX-License-Identifier: GPL-2.0
"""plan(): what is, what is wanted, the next step.

Invariants (tests/fleet/ checks them in every state that random events reach):
  I1  no step of ours leaves a PG in scope with fewer than g_min replicas awake: on OSDs that are up, in, acting,
      turning by their agent's report, with an affinity of 1, in a group that was not touched
  I3  one group at a time is on its way down, from a settled cluster
  I4  shifts up are always allowed, and wait for no health
  I5  only affinities, the options in steps.NAMES for a group's mask, and leases are ever written
(I2 is of groups whose daemons are stopped, which parfleet does not do.)
"""
import dataclasses

from . import gears, guard, steps
from .model import AWAKE, DOZE, GroupState, Lease, Planned, Want


def remember(obs, state):
    """(Observed, State) with what only memory can tell: the layout, since when PGs are clean, who else acts."""
    freezing = guard.freezing(obs, state)
    layout = obs.layout or state.layout
    groups, left = {}, set(state.left)
    for name, group in state.groups.items():
        groups[name] = guard.compare(obs, group)
        if groups[name].foreign:
            left.add(name)
    state = dataclasses.replace(
        state, groups=groups, left=tuple(sorted(left)), layout=state.layout if groups else layout,
        clean=(obs.now if state.clean is None else min(state.clean, obs.now)) if obs.pgs.clean else None,
        frozen=obs.now if freezing else state.frozen)
    return dataclasses.replace(obs, layout=state.layout), state, freezing


def target(obs, state, history, options, freezing):
    """(gear, reasons, State): Ceph comes first, then the administrator, then the load."""
    top = len(obs.layout.groups)
    gear, reasons, over = gears.wanted(obs, state, history, options)
    state = dataclasses.replace(state, over=over)
    first = guard.unwell(obs) + freezing
    asleep = {osd for group in obs.layout.groups for osd in group.osds
              if group.name in state.groups and state.groups[group.name].valve is not None}
    read = sorted(asleep & obs.pgs.primaries(obs.layout))
    if read:
        first.append(f"PGs are read on OSDs that doze, others refuse them by their affinity: {guard.named(read)}")
    if not freezing and state.frozen is not None and 0 <= obs.now - state.frozen < options.frozen:
        first.append(f"the cluster was changed {obs.now - state.frozen:.0f} s ago: waits {options.frozen:.0f} s")
    overdue = guard.debt(obs).overdue
    if overdue:
        first.append(f"{overdue} PGs are overdue for a deep scrub")
    probe = state.probe
    if probe is not None and not probe.done:
        # A probe is not worth a risk: it ends, without a result if it had not begun.
        if (first or state.hold not in (None, "mode") or probe.osd not in guard.members(obs)
                or probe.group.name in state.left):
            state = dataclasses.replace(state, probe=probe._replace(done=True))
        else:
            first = [f"osd.{probe.osd} is probed"]
    return (top, first, state) if first else (gear, reasons, state)


def every_group(obs, state):
    """The groups, and the OSD that is probed as one more."""
    return [*obs.layout.groups, *([state.probe.group] if state.probe else [])]


def counted(obs, state, dozing):
    """The State after the requests of a probe were counted: done after its time, or if it had to drain."""
    probe = state.probe
    if probe is None or probe.done:
        return state
    seen = obs.seen.get(probe.osd)
    if probe.group.name in dozing and seen is not None and seen.requests is not None:
        now = (seen.requests, seen.unaligned)
        probe = probe._replace(last=now, ended=obs.now) if probe.began is not None else \
            probe._replace(began=obs.now, ended=obs.now, first=now, last=now)
        probe = probe._replace(done=obs.now - probe.began >= probe.seconds)
    elif probe.began is not None:
        probe = probe._replace(done=True)
    return dataclasses.replace(state, probe=probe)


def awake_names(obs, state, gear, options):
    """The names of the groups that have to be awake."""
    names = [group.name for group in obs.layout.groups]
    if state.hold == "freeze" and gear < len(names):
        return {name for name in names if name not in state.groups or state.groups[name].want == AWAKE}
    # A group that is left alone stays awake in place of another one.
    turns = gears.order(names, obs.now, options.rotation)
    turns.sort(key=lambda name: name not in state.left)
    # OSDs that were probed are awake, those that are probed are not.
    probed = ({name for name in state.groups if name not in names}
              | ({state.probe.group.name} if state.probe else set()))
    if state.probe is not None and not state.probe.done:
        probed.remove(state.probe.group.name)
    return probed | set(turns[:max(gear, len(set(state.left) & set(names)))])


def plan(obs, state, history, options):
    """Planned: the next State, the intents of this step, and the reasons.

    obs: Observed. state: State, that of the last call. history: predict.History, not changed. No clock, no I/O; the
    caller stores the new state before it does the intents, and calls again when they are done.
    """
    if obs.layout is None and state.layout is None:
        return Planned(state, (), ("there are no gear groups: see parfleet layout plan",), 0)
    obs, state, freezing = remember(obs, state)
    gear, reasons, state = target(obs, state, history, options, freezing)
    awake = awake_names(obs, state, gear, options)
    groups = {name: steps.direction(group, name in awake, obs.now) for name, group in state.groups.items()}
    if groups != state.groups and any(groups[n].want != state.groups[n].want for n in groups):
        state = dataclasses.replace(state, shifted=obs.now)
    state = dataclasses.replace(state, groups=groups)
    state, intents, dozing, said = advance(obs, state, awake, options)
    state = counted(obs, state, dozing)
    intents = [*leases(obs, state, dozing, options), *intents]
    return Planned(state, tuple(intents), tuple(reasons + said), gear)


def advance(obs, state, awake, options):
    """(State, intents, names of the groups that doze, what they wait for): the next step of each group."""
    groups, intents, dozing, said = dict(state.groups), [], set(), []
    layout = {group.name: group for group in every_group(obs, state)}
    waking = [name for name in sorted(groups) if groups[name].want == AWAKE]
    together = len(waking) == 1 or all(steps.takes_primaries(groups[name]) for name in waking)
    for name in waking:
        osds = layout[name].osds if name in layout else [k for k in groups[name].values if isinstance(k, int)]
        groups[name], more, why = steps.next_wake(obs, osds, groups[name], options, together)
        intents += more
        if groups[name].values:
            said.append(f"{name} wakes: {why}")
        else:
            del groups[name]
    moving = False
    for name in sorted(n for n in groups if groups[n].want == DOZE):
        new, more, rests, why = steps.next_doze(obs, layout[name], groups[name], state, options)
        if rests:
            dozing.add(name)
            groups[name] = new
        elif (moving or waking) and groups[name].valve is not None:
            dozing.add(name)    # its turn to drain comes
        elif not moving and not waking:
            moving = True
            intents += more
            groups[name] = new
            said.append(f"{name}: {why}")
            if obs.now - new.since > options.give_up and new.valve is None:
                groups[name] = dataclasses.replace(new, want=AWAKE, since=obs.now)
                state = dataclasses.replace(state, shifted=obs.now)
                said.append(f"{name} did not get on for {options.give_up:.0f} s: wakes again")
    state = dataclasses.replace(state, groups=groups)
    if not moving and not waking:
        state, why = begin(obs, state, awake, options)
        said += why
    return state, intents, dozing, said


def begin(obs, state, awake, options):
    """(State, reasons not to): with one more group on its way to doze if one is wanted and may."""
    wanted = [g for g in every_group(obs, state) if g.name not in awake and g.name not in state.groups]
    if not wanted:
        return state, []
    said = [f"no shift down yet: {reason}" for reason in guard.unsettled(obs, state, options)]
    for group in wanted if not said else ():
        silent = [osd for osd in group.osds if steps.fresh(obs, osd, options) is None]
        reasons = [f"no report from the agents of {guard.named(silent)}"] if silent else []
        spilled = [osd for osd in group.osds if osd in obs.seen and obs.seen[osd].spilled]
        reasons += [f"block.db is full and spills over to the disk: {guard.named(spilled)}"] if spilled else []
        reasons += steps.overridden(obs, group) + steps.spares(obs, state, group, options)
        if not reasons:
            groups = {**state.groups, group.name: GroupState(since=obs.now)}
            return dataclasses.replace(state, groups=groups, shifted=obs.now), []
        said += [f"{group.name} does not doze yet: {reason}" for reason in reasons]
    return state, said


def leases(obs, state, dozing, options):
    """The Wants for hosts whose agents have to know something else, or whose lease is about to end."""
    want = {}
    for group in obs.layout.groups:
        for osd in group.osds:
            if osd in obs.hosts:
                want.setdefault(obs.hosts[osd], {})[osd] = DOZE if group.name in dozing else AWAKE
    held = {obs.hosts.get(osd) for group in obs.layout.groups if group.name in state.groups for osd in group.osds}
    for host in sorted(want):
        has = obs.leases.get(host)
        if host not in held and (has is None or DOZE not in has.want.values()):
            continue
        if has is None or has.want != want[host] or (host in held and has.until - obs.now < options.lease * 2 / 3):
            yield Want(host, Lease(want[host], obs.now + options.lease))
