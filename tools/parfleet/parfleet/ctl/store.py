# SPDX-License-Identifier: GPL-2.0
"""What parfleet keeps on the monitors, in config-key, and its form there.

parfleet/state      the planner's State, and who runs the controller
parfleet/want/HOST  what the agent of a host is asked for
parfleet/seen/HOST  what the agent of a host reports
parfleet/history    the peak load of each hour, 28 days
"""
import dataclasses
import json

from ..core.model import Group, GroupState, Layout, Probe, State, Value

PREFIX = "parfleet/"
STATE, HISTORY = PREFIX + "state", PREFIX + "history"
WANT, SEEN = PREFIX + "want/", PREFIX + "seen/"
VERSION = 1
MOST = 65536    # bytes in a value, by mon_config_key_max_entry_size


class BadState(ValueError):
    """What is stored is not of this version of parfleet, or is damaged."""


def _group(group):
    alike, options = {}, []
    for key, v in group.values.items():
        entry = [v.before, v.now, v.last, v.confirmed]
        if isinstance(key, tuple):
            options.append([*key, *entry])
        else:
            alike.setdefault(json.dumps(entry), []).append(key)
    return {"since": group.since, "want": group.want, "valve": group.valve,
            "affinities": [[*json.loads(entry), osds] for entry, osds in alike.items()], "options": options,
            "foreign": [list(key) if isinstance(key, tuple) else key for key in group.foreign]}


def _to_group(data):
    values = {osd: Value(*entry[:4]) for entry in data["affinities"] for osd in entry[4]}
    values.update({(o[0], o[1]): Value(*o[2:6]) for o in data["options"]})
    foreign = tuple(tuple(key) if isinstance(key, list) else key for key in data["foreign"])
    return GroupState(data["since"], data["want"], values, data["valve"], foreign)


def _layout(layout):
    return layout and {"type": layout.type, "pools": sorted(layout.pools), "left_out": layout.left_out,
                       "groups": {group.name: group.osds for group in layout.groups}}


def _to_layout(data):
    return data and Layout(tuple(Group(name, data["type"], tuple(osds)) for name, osds in data["groups"].items()),
                           frozenset(data["pools"]), tuple(map(tuple, data["left_out"])), data["type"])


def dump(state, owner, beat=0):
    """The State as text: a JSON document, with who writes it; `beat` differs from one time to the next."""
    data = {f.name: getattr(state, f.name) for f in dataclasses.fields(state)}
    data["groups"] = {name: _group(group) for name, group in state.groups.items()}
    data["layout"] = _layout(state.layout)
    data["probe"] = state.probe and list(state.probe)
    return json.dumps({"version": VERSION, "owner": owner, "beat": beat, **data}, separators=(",", ":"))


def load(text):
    """(State, owner). Raises BadState with the reason."""
    try:
        data = json.loads(text)
        if data["version"] != VERSION:
            raise BadState(f"version {data['version']} of the state: this parfleet needs version {VERSION}")
        fields = {f.name: data[f.name] for f in dataclasses.fields(State)}
        fields["groups"] = {name: _to_group(group) for name, group in data["groups"].items()}
        fields["layout"] = _to_layout(data["layout"])
        fields["left"] = tuple(data["left"])
        fields["probe"] = data["probe"] and Probe(*(tuple(v) if isinstance(v, list) else v for v in data["probe"]))
        return State(**fields), data["owner"]
    except BadState:
        raise
    except (AttributeError, IndexError, KeyError, TypeError, ValueError) as error:
        raise BadState(f"the state is damaged ({type(error).__name__}: {error})") from None
