#!/usr/bin/python3
"""Compare a dashboard with the types of Grafana 11.6, which its own SDK has: grafana-board.py SDK DASHBOARD.

The SDK's Dashboard.from_json() takes any value, and drops fields that it does not know: print these, and values of
other types than it names.
"""
import enum
import json
import sys
import types
import typing

sys.path.insert(0, sys.argv[1])
from grafana_foundation_sdk.cog import encoder, plugins  # noqa: E402
from grafana_foundation_sdk.models import dashboard  # noqa: E402


def fits(value, hint, place):
    """What in value is not of the type that hint names."""
    origin, inner = typing.get_origin(hint), typing.get_args(hint)
    if hint in (object, typing.Any):
        if not hasattr(value, "to_json"):
            return []
        hint = type(value)
    if origin in (typing.Union, types.UnionType):
        found = [fits(value, one, place) for one in inner]
        return [] if [] in found else max(found, key=len)
    if origin is typing.Literal:
        return [] if value in inner else [place]
    if origin in (list, dict):
        if not isinstance(value, origin):
            return [f"{place}: {value!r}"]
        items = enumerate(value) if origin is list else value.items()
        return [bad for key, one in items for bad in fits(one, inner[-1], f"{place}[{key!r}]")]
    if hint is float:
        hint = (int, float)
    elif issubclass(hint, enum.Enum):
        return [] if value in [one.value for one in hint] else [f"{place}: {value!r}"]
    if not isinstance(value, hint) or isinstance(value, bool) and hint is not bool:
        return [f"{place}: {value!r}"]
    hints = typing.get_type_hints(type(value)) if hasattr(value, "to_json") else {}
    return [bad for name, one in hints.items() for bad in fits(getattr(value, name), one, f"{place}.{name}")]


def lost(given, kept, place):
    """Fields of given that Grafana's types do not have."""
    if isinstance(given, dict):
        return [bad for key, one in given.items()
                for bad in (lost(one, kept[key], f"{place}.{key}") if key in kept else [f"{place}.{key}"])]
    if isinstance(given, list):
        return [bad for i, (one, other) in enumerate(zip(given, kept, strict=True)) for bad in lost(one, other, f"{place}[{i}]")]
    return [] if given == kept else [f"{place}: {given!r} became {kept!r}"]


with open(sys.argv[2]) as file:
    given = json.load(file)
plugins.register_default_plugins()
board = dashboard.Dashboard.from_json(given)
bad = lost(given, json.loads(encoder.JSONEncoder().encode(board)), "") + fits(board, dashboard.Dashboard, "")
sys.exit("\n".join(bad) or 0)
