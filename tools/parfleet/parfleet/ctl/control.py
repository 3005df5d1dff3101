# SPDX-License-Identifier: GPL-2.0
"""What an administrator asks for. The commands write it to the monitors, the controller reads it in each step."""
import dataclasses
import json
import math

from ..core.model import Probe
from . import store

KEY = store.PREFIX + "wish"
HOLDS = "awake", "freeze"


@dataclasses.dataclass(frozen=True)
class Wish:
    gear: object = None         # a number, or None: by the load
    hold: object = None         # of HOLDS, or None
    resumed: float = 0.0        # when `resume` was last asked for
    probe: object = None        # [OSD, seconds, when it was asked for], or None


def load(text):
    """The Wish in the text of KEY, or one that wants nothing if there is none. Raises store.BadState."""
    try:
        wish = Wish(**json.loads(text)) if text is not None else Wish()
        whole = isinstance(wish.gear, int) and not isinstance(wish.gear, bool) and wish.gear >= 1
        if not (wish.gear is None or whole) or wish.hold not in (None, *HOLDS):
            raise ValueError(f"gear {wish.gear}, hold {wish.hold}")
        probe = None if wish.probe is None else (int(wish.probe[0]), float(wish.probe[1]), float(wish.probe[2]))
        if not all(math.isfinite(float(number)) for number in (wish.resumed, *(probe or ()))):
            raise ValueError("a time is no number")
        return dataclasses.replace(wish, resumed=float(wish.resumed), probe=probe)
    except (TypeError, ValueError, IndexError, KeyError) as error:
        raise store.BadState(f"{KEY} is damaged ({error}): remove it with ceph config-key rm {KEY}") from None


def dump(wish):
    return json.dumps(dataclasses.asdict(wish))


def applied(wish):
    """A function State -> State for Controller.step()."""
    def change(state):
        left = () if wish.resumed > state.resumed else state.left
        probe = state.probe
        if wish.probe is not None and (probe is None or wish.probe[2] > probe.asked):
            probe = Probe(*wish.probe)
        return dataclasses.replace(state, gear=wish.gear, hold=wish.hold, left=left, probe=probe,
                                   resumed=max(wish.resumed, state.resumed))
    return change


def gear(number):
    """Stay in a gear; None: choose it by the load."""
    return lambda state: dataclasses.replace(state, gear=number)


def hold(how):
    """"awake": all groups; "freeze": no shift by the load or on request."""
    return lambda state: dataclasses.replace(state, hold=how)


def resume():
    """End a hold; groups with settings that somebody else changed take part again, with these as theirs."""
    return lambda state: dataclasses.replace(state, hold=None, left=())
