# SPDX-License-Identifier: GPL-2.0
"""What the planner sees, from the JSON of Ceph's commands (16.2 and 18.2) and the reports of the agents."""
import calendar
import functools
import re
import time

from . import layout as layouts
from . import load
from .model import Lease, Observed, Osd, Pg, Pgs, Pool, Seen

# The commands whose JSON observe() needs: of the monitors, and of the manager.
MON = ("osd dump", "osd crush dump", "config dump", "versions", "health", "osd metadata")
MGR = ("pg dump", "osd pool stats")     # pg dump: the contents pgs_brief suffice, if deep scrubs are given apart
REPLICATED = 1


def value_of(text):
    """An option's value in one form: the monitors print 0 as 0.000000 where a number is a float."""
    try:
        number = float(text)
    except ValueError:
        return text
    return str(int(number)) if number.is_integer() else repr(number)


@functools.lru_cache(maxsize=1 << 17)
def stamp(text):
    """A time that Ceph prints (2026-11-28T17:08:11.070542+0000, or with Z or a colon), in s since 1970."""
    found = re.fullmatch(r"(\d+-\d+-\d+)[T ](\d+:\d+:\d+)(\.\d+)?(?:Z|([+-])(\d\d):?(\d\d))?", text)
    if not found:
        raise ValueError(f"not a time of Ceph's: {text}")
    seconds = calendar.timegm(time.strptime(f"{found[1]} {found[2]}", "%Y-%m-%d %H:%M:%S"))
    offset = (int(found[5]) * 60 + int(found[6])) * 60 if found[4] else 0
    return seconds + float(found[3] or 0) + (offset if found[4] == "-" else -offset)


def pools(osd_dump):
    """{number: Pool}"""
    return {p["pool"]: Pool(p["pool"], p["pool_name"], p["size"], p["crush_rule"], p["pg_num"],
                            p["pg_placement_num"], p["type"] != REPLICATED,
                            p["pg_num"] != p["pg_num_target"]
                            or p["pg_placement_num"] != p["pg_placement_num_target"],
                            float(p.get("options", {}).get("deep_scrub_interval", 0)) or None)
            for p in osd_dump["pools"]}


def deep_scrubs(pg_dump):
    """{PG: time of its last deep scrub} in the JSON of `pg dump` with the contents pgs."""
    return {p["pgid"]: stamp(p["last_deep_scrub_stamp"]) for p in pg_dump.get("pg_map", pg_dump)["pg_stats"]}


def pgs(pg_dump, deep):
    """The Pgs in the JSON of `pg dump` with the contents pgs or pgs_brief, with the times of deep_scrubs()."""
    stats = pg_dump.get("pg_map", pg_dump)["pg_stats"]
    return Pgs(Pg(p["pgid"], int(p["pgid"].partition(".")[0]), tuple(p["up"]), tuple(p["acting"]),
                  p["acting_primary"], frozenset(p["state"].split("+")),
                  deep.get(p["pgid"]))
               for p in stats)


def options(config_dump):
    """{(who, name): value}; who is as `ceph config set` takes it: "osd", "osd.3", "osd/host:a"."""
    return {(o["section"] + ("/" + o["mask"] if o.get("mask") else ""), o["name"]): value_of(o["value"])
            for o in config_dump}


def scrub_interval(settings):
    """Seconds between deep scrubs, by options(); Ceph's default is a week."""
    for who in "osd", "global":
        if (who, "osd_deep_scrub_interval") in settings:
            return float(settings[(who, "osd_deep_scrub_interval")])
    return 7 * 86400.0


def reports(seen, hosts):
    """{OSD: Seen} from the reports of the agents, {host: document}; those that are not in order count as missing.

    hosts: {OSD: its host}. What an agent says of OSDs of other hosts does not count.
    """
    found = {}
    for host, document in seen.items():
        try:
            for osd, r in document["osds"].items():
                if hosts.get(int(osd)) != host:
                    continue
                spinning = r["spinning"]
                if not (spinning is None or isinstance(spinning, bool)):
                    raise ValueError("spinning")
                found[int(osd)] = Seen(float(document["at"]), spinning, int(r["pending"]), float(r["rate"]),
                                       int(r["epoch"]), {n: value_of(str(v)) for n, v in r["options"].items()},
                                       int(r.get("starts", 0)), r.get("requests"), int(r.get("unaligned", 0)),
                                       int(r.get("spilled", 0)))
        except (AttributeError, KeyError, TypeError, ValueError, OverflowError):
            continue
    return found


def leases(wants):
    """{host: Lease} from the documents that the agents were given, {host: document}; wrong ones count as missing."""
    found = {}
    for host, document in wants.items():
        try:
            found[host] = Lease({int(osd): str(want) for osd, want in document["osds"].items()},
                                float(document["until"]))
        except (AttributeError, KeyError, TypeError, ValueError):
            continue
    return found


def versions_of_osds(versions):
    """The versions of the OSDs that run: {"16.2.15"}"""
    return frozenset(text.split()[2] if text.startswith("ceph version ") else text
                     for text in versions.get("osd", {}))


def observe(dumps, seen, wants, deep, now, speed=load.Speed()):
    """Observed, from {command of MON and MGR: its JSON}.

    seen, wants: {host: document} of the agents. deep: of deep_scrubs(), {} if not known. now: seconds since 1970.
    Raises KeyError, TypeError or ValueError if a command's JSON is not as Ceph 16.2 or 18.2 print it: nothing can be
    planned then.
    """
    osd_dump = dumps["osd dump"]
    all_pools, all_pgs = pools(osd_dump), pgs(dumps["pg dump"], deep)
    crush = layouts.tree(dumps["osd crush dump"])
    found, _ = layouts.detect(crush, list(all_pools.values()), all_pgs)
    hosts = {m["id"]: m["hostname"] for m in dumps["osd metadata"] if "hostname" in m}
    rates, settings = load.rates_of(dumps["osd pool stats"]), options(dumps["config dump"])
    return Observed(
        now=now, epoch=osd_dump["epoch"],
        osds={o["osd"]: Osd(o["osd"], bool(o["up"]), bool(o["in"]), round(float(o["primary_affinity"]), 4))
              for o in osd_dump["osds"]},
        pools=all_pools, pgs=all_pgs, layout=found,
        hosts=hosts, above=crush.masks(),
        options=settings, scrub_interval=scrub_interval(settings), seen=reports(seen, hosts), leases=leases(wants),
        flags=frozenset(osd_dump["flags_set"]), releases=versions_of_osds(dumps["versions"]),
        checks=frozenset(dumps["health"].get("checks", {})),
        load=sum(load.servers(rate, speed, all_pools[pool].size) for pool, rate in rates.items()
                 if pool in (found.pools if found else all_pools)))
