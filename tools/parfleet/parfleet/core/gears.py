# SPDX-License-Identifier: GPL-2.0
"""Which gear, and which groups are awake in it (Sierra, section 3.4)."""
from . import load


def order(names, now, period):
    """The groups in the order in which they are awake; it rotates every `period` s, so that each is awake as long."""
    names = sorted(names)
    turn = int(now // period) % len(names)
    return names[turn:] + names[:turn]


def wanted(obs, state, history, options):
    """(gear, reasons, since when the load exceeds the gear that the groups are in, or None) without any trouble.

    Up at once if the load exceeds the gear for `surge` s; down by the prediction only, for this hour and for
    as long as a doze has to last, and if the present load fits.
    """
    layout = obs.layout
    top, osds = len(layout.groups), sum(len(group.osds) for group in layout.groups)
    now_in = top - sum(group.want == "doze" for name, group in state.groups.items()
                       if any(name == own.name for own in layout.groups))
    needed = load.gear_for(obs.load, osds, top, options.g_min)
    over = (obs.now if state.over is None else state.over) if needed > now_in else None
    if state.hold == "mode":
        return top, ["no gear was asked for, and only the mode auto chooses one by the load"], over
    if state.hold == "awake":
        return top, ["held awake by the administrator"], over
    if state.hold == "freeze":
        return now_in, ["frozen by the administrator"], over
    if state.gear is not None:
        gear = min(top, max(options.g_min, state.gear))
        return gear, [f"gear {state.gear} asked for by the administrator"], over
    predicted = history.predict(obs.now)
    if predicted is None:
        return top, ["the load of this hour has been seen on fewer than two days"], over
    gear = load.gear_for(predicted, osds, top, options.g_min)
    reasons = [f"load predicted: {predicted:.1f} of {osds} OSDs, gear {gear}"]
    if gear < now_in:
        # A doze has to last; a shift up need not be early.
        later = history.predict(obs.now + options.ahead)
        gear = min(now_in, max(gear, top if later is None else load.gear_for(later, osds, top, options.g_min)))
    if over is not None and obs.now - over >= options.surge and needed > gear:
        return needed, reasons + [f"load now: {obs.load:.1f} of {osds} OSDs, gear {needed}"], over
    if needed > gear and gear < now_in:
        return max(gear, min(needed, now_in)), reasons + ["the present load does not fit into it yet"], over
    if gear < now_in and obs.now - state.shifted < options.hysteresis:
        return now_in, reasons + ["the last shift was too recent for one down"], over
    return gear, reasons, over
