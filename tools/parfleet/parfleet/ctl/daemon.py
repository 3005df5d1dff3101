# SPDX-License-Identifier: GPL-2.0
"""The loop of the controller, and its metrics."""
import dataclasses
import os
import signal
import sys

from ..core.model import DOZE, Affinity, Config
from . import control, store
from .controller import MonError, OtherOwner, get

FAST = 2.0      # seconds between two steps while groups shift
LOCK = "\0parfleet.daemon"      # an abstract socket: bound by one process of a host, and free when that ends


def change(wish, mode):
    """What the controller does with the state before it plans: the administrator's wish, and the mode's limits."""
    apply = control.applied(wish)

    def limited(state):
        state = apply(state)
        if mode == "observe" and state.probe is not None:
            state = dataclasses.replace(state, probe=state.probe._replace(done=True))
        if mode == "observe" or (mode != "auto" and state.gear is None and state.hold is None):
            return dataclasses.replace(state, hold="mode")
        return state
    return limited


def describe(intent):
    """An intent as the command that does it, for people."""
    if isinstance(intent, Affinity):
        return f"ceph osd primary-affinity osd.{intent.osd} {intent.value:g}"
    if isinstance(intent, Config):
        return f"ceph config rm {intent.who} {intent.name}" if intent.value is None else \
            f"ceph config set {intent.who} {intent.name} {intent.value}"
    asleep = sum(want == DOZE for want in intent.lease.want.values())
    return f"host {intent.host}: {asleep} of {len(intent.lease.want)} disks may stop"


def metrics(obs, planned):
    """Text for Prometheus."""
    dozing = {name for name, group in planned.state.groups.items() if group.want == DOZE and group.valve is not None}
    lines = ["# HELP parfleet_gear Groups that are awake.", "# TYPE parfleet_gear gauge",
             f"parfleet_gear {sum(g.name not in planned.state.groups for g in obs.layout.groups)}",
             "# HELP parfleet_gear_wanted The gear that is wanted.", "# TYPE parfleet_gear_wanted gauge",
             f"parfleet_gear_wanted {planned.gear}",
             "# HELP parfleet_load Load of the clients, in OSDs.", "# TYPE parfleet_load gauge",
             f"parfleet_load {obs.load:g}",
             "# HELP parfleet_group_dozing Does the group doze?", "# TYPE parfleet_group_dozing gauge"]
    lines += [f'parfleet_group_dozing{{group="{g.name}"}} {int(g.name in dozing)}' for g in obs.layout.groups]
    lines += ["# HELP parfleet_group_left_alone Did somebody else change the group's settings?",
              "# TYPE parfleet_group_left_alone gauge"]
    lines += [f'parfleet_group_left_alone{{group="{g.name}"}} {int(g.name in planned.state.left)}'
              for g in obs.layout.groups]
    lines += ["# HELP parfleet_disks_stopped Disks of the group that their agents report as stopped.",
              "# TYPE parfleet_disks_stopped gauge"]
    for group in obs.layout.groups:
        stopped = sum(osd in obs.seen and obs.seen[osd].spinning is False for osd in group.osds)
        lines.append(f'parfleet_disks_stopped{{group="{group.name}"}} {stopped}')
    return "\n".join(lines) + "\n"


def write(path, text):
    """Replace a file at once, as node_exporter wants it."""
    with open(path + ".new", "w", encoding="utf-8") as file:
        file.write(text)
    os.replace(path + ".new", path)


class Stop(Exception):
    """The daemon was asked to end."""


def stop(*_):
    raise Stop


def run(context):
    """Steps until SIGTERM; returns 0. Errors are reported, once each time that they change, and tried again."""
    signal.signal(signal.SIGTERM, stop)
    said = None
    try:
        while True:
            text, pause = turn(context), context.config.interval
            if text.startswith("shifts"):
                pause = min(FAST, pause)
            if text != said:
                print("parfleet: " + text, file=sys.stderr, flush=True)
                said = text
            context.sleep(pause)
    except (Stop, KeyboardInterrupt):
        return 0


def turn(context):
    """One step: a line that says what it did."""
    controller, mode = context.controller, context.config.mode
    try:
        if mode == "observe" and not controller.load_state()[0].groups:
            controller.watch()
            return "observes: nothing is changed"
        wish, damaged = control.Wish(hold="awake"), ""
        try:
            wish = control.load(get(context.mons, control.KEY))
        except store.BadState as error:
            damaged = f"{error}; all groups are kept awake until then; "
        planned = controller.step(change(wish, mode))
        if context.config.metrics and planned.state.layout:
            obs = dataclasses.replace(controller.seen, layout=planned.state.layout)
            write(context.config.metrics, metrics(obs, planned))
        shifting = any(g.want != DOZE or g.valve is None for g in planned.state.groups.values())
        return ("shifts: " if shifting else "") + damaged + "; ".join(planned.reasons)
    except (MonError, OtherOwner, store.BadState, OSError) as error:
        return " ".join(str(error).split())
    except (KeyError, TypeError, ValueError) as error:
        return f"the output of Ceph is not understood ({type(error).__name__}: {error}): nothing is changed"
