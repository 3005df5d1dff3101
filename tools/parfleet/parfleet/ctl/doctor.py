# SPDX-License-Identifier: GPL-2.0
"""What stands in the way of a doze on a cluster. Pure: from Observed and the JSON of Ceph's commands."""
from typing import NamedTuple

from ..core import budget, guard, steps
from ..core.model import State

SPIN_UP = 20            # seconds
MOST_UNALIGNED = 10     # wakes a day by overwrites that are not aligned to 4 KiB: the budget of a disk


class Finding(NamedTuple):
    level: str      # "stop": nothing can doze; "warn"; "ok"
    text: str       # what is wrong, and what is right


def findings(obs, reason, dumps, reports, options):
    """[Finding], those that stop a doze first.

    reason: of layout.detect(). dumps: {command: JSON}, with "osd metadata". reports: {OSD: dict} of the agents.
    """
    if obs.layout is None:
        return [Finding("stop", f"no gear groups: {reason}; parfleet layout plan shows commands that make some")]
    found = [Finding("stop" if reason else "ok", reason or "groups: " + ", ".join(
        f"{g.name} ({len(g.osds)} OSDs)" for g in obs.layout.groups) + f", of the type {obs.layout.type}")]
    found += [Finding("warn", f"pool {name} is left out: {why}") for name, why in obs.layout.left_out]
    found += of_devices(obs, dumps["osd metadata"])
    found += [Finding("stop", text) for group in obs.layout.groups for text in steps.overridden(obs, group)]
    found += [Finding("warn", text) for text in guard.unwell(obs) + guard.freezing(obs, State(layout=obs.layout))]
    partial = [osd for osd in guard.members(obs) if osd in obs.osds and 0 < obs.osds[osd].affinity < 1]
    if partial:
        found.append(Finding("warn", f"an affinity between 0 and 1 refuses PGs, which may then be read on sleepers: "
                                     f"{guard.named(partial)} count as asleep"))
    if obs.options.get(("mgr", "mgr/devicehealth/enable_monitoring")) != "false":
        found.append(Finding("warn", "Ceph queries SMART data of each disk once a day, which starts those that sleep: "
                                     "ceph device monitoring off"))
    found += of_reports(obs, reports, options)
    order = {"stop": 0, "warn": 1, "ok": 2}
    return sorted(found, key=lambda finding: order[finding.level])


def of_devices(obs, metadata):
    """Does each OSD keep its writes on flash? Without block.db there, each commit goes to the disk."""
    by_osd, found = {m["id"]: m for m in metadata}, []
    for text, is_bad in (
            ("no data of BlueStore", lambda m: m.get("osd_objectstore") != "bluestore"),
            ("no block.db: each write goes to the disk", lambda m: m.get("bluefs_dedicated_db") != "1"),
            ("block.db on a rotating disk", lambda m: m.get("bluefs_dedicated_db") == "1"
             and m.get("bluefs_db_rotational") != "0"),
            ("data on flash: nothing to save", lambda m: m.get("bluestore_bdev_rotational") == "0")):
        bad = [osd for osd in guard.members(obs) if osd in by_osd and is_bad(by_osd[osd])]
        if bad:
            found.append(Finding("stop", f"{text}: {guard.named(bad)}"))
    return found or [Finding("ok", "each OSD has its data on a disk and its block.db on flash")]


def of_reports(obs, reports, options):
    """What the agents have seen."""
    silent = [osd for osd in guard.members(obs) if osd not in reports]
    found = [Finding("stop", f"no report of an agent: {guard.named(silent)}; start parfleet-agent there")] \
        if silent else [Finding("ok", "an agent reports each OSD")]
    blind = [osd for osd in guard.members(obs) if osd in reports and reports[osd].get("requests") is None]
    if blind:
        found.append(Finding("stop", f"the agent finds no disk, so it cannot stop one: {guard.named(blind)}"))
    mute = [osd for osd in guard.members(obs) if osd in reports and reports[osd].get("spinning", True) is None
            and osd not in blind]
    if mute:
        found.append(Finding("stop", f"the kernel does not manage the power of the disk (runtime PM), so nothing can "
                                     f"stop it: {guard.named(mute)}"))
    spilled = [osd for osd in guard.members(obs) if reports.get(osd, {}).get("spilled")]
    if spilled:
        found.append(Finding("stop", f"block.db is full and spills over to the disk: {guard.named(spilled)}"))
    found += of_room(obs, reports, options)
    unaligned = [osd for osd in guard.members(obs) if reports.get(osd, {}).get("unaligned", 0) > MOST_UNALIGNED]
    if unaligned:
        found.append(Finding("warn", f"overwrites that are not aligned to 4 KiB read on every replica, so they wake "
                                     f"sleepers; seen since the start of {guard.named(unaligned)}"))
    return found


def of_room(obs, reports, options):
    """Is there room for the writes of a doze? The options grant it memory and a part of block.db."""
    wrong = {}
    for osd in guard.members(obs):
        if "db_free" not in reports.get(osd, {}):
            continue
        try:
            limit = budget.deferral(reports[osd]["db_free"], options.throttle * budget.RAM_A_BYTE,
                                    reports[osd].get("rate", 0), SPIN_UP)
            if limit.throttle < options.throttle:
                wrong.setdefault(f"throttle = {options.throttle} is more than a quarter of the free block.db: need at "
                                 f"most {limit.throttle}", []).append(osd)
            elif limit.drain_at < options.drain_at:
                wrong.setdefault(f"drain_at = {options.drain_at} is too late for throttle = {options.throttle}: need "
                                 f"at most {limit.drain_at}", []).append(osd)
        except ValueError as error:
            wrong.setdefault(str(error), []).append(osd)
    return [Finding("stop", f"{text}: {guard.named(osds)}") for text, osds in wrong.items()]
