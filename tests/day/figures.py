# SPDX-License-Identifier: GPL-2.0
"""Compute the figures of a day from the samples of an array's disks and from its requests.

No function reads or writes a file. `live` has taken the samples: each has the time `at` in
seconds, and for each disk the energy so far (µJ), its starts and its state. Events are the
uevents of par, each with its time.
"""
import dataclasses

NS = 1e9
PERCENTILES = ((50, 100), (95, 100), (99, 100), (999, 1000))
# What takes so long has waited for a disk to spin up: one that turns never lets anybody wait
# that long here, and one that spins up mostly does.
LONG = NS
STATES = ("active_ns", "idle_ns", "standby_ns", "spin_up_ns", "spin_down_ns", "off_ns")


@dataclasses.dataclass
class Request:
    at: int       # ns from the beginning
    op: str
    bytes: int
    latency: int  # ns
    error: int
    sector: int = 0


def request(line):
    """Of a row that raid-tracer has written."""
    at, op, sector, size, latency, error = line.split()
    return Request(int(at), op, int(size), int(latency), int(error), int(sector))


def joules(samples, start, end):
    """Of all disks, between two times at which there are samples."""
    total = {sample["at"]: sum(sample["uj"]) for sample in samples if sample["at"] in (start, end)}
    return (total[end] - total[start]) / 1e6


def watts(samples, step):
    """In the mean over each step: (its beginning, watts)."""
    last = samples[-1]["at"]
    return [(at, joules(samples, at, at + step) / step) for at in range(samples[0]["at"], last - step + 1, step)]


def starts(samples):
    """How often each disk was started."""
    return [last - first for first, last in zip(samples[0]["starts"], samples[-1]["starts"])]


def waits(requests):
    """The requests that waited for a disk to spin up."""
    return [one for one in requests if one.latency >= LONG]


def read_before(requests, one):
    """Whether all of its bytes had been read, at least a minute earlier."""
    left = set(range(one.sector, one.sector + one.bytes // 512))
    for other in requests:
        if other.op == "r" and other.at < one.at - 60 * NS:
            left.difference_update(range(max(other.sector, one.sector), other.sector + other.bytes // 512))
    return not left


def latencies(requests):
    """ms: the mean, percentiles, the longest."""
    if not requests:
        return None
    ns = sorted(one.latency for one in requests)
    found = {"mean": sum(ns) / len(ns)}
    for part, whole in PERCENTILES:
        found[f"{100 * part / whole:g} %"] = ns[min(len(ns) * part // whole, len(ns) - 1)]
    found["longest"] = ns[-1]
    return {name: value / 1e6 for name, value in found.items()}


def between(requests, start, end):
    return [one for one in requests if start * NS <= one.at < end * NS]


def turns(samples, events):
    """The decisions of par in order, with their results: `ms` is None if the gear has
    not changed. A change that nobody decided has no reason, unless a member was started for a
    miss. Such a change is told when it is done, and so begins earlier."""
    found, gear, missed = [], samples[0]["gear"], False
    for event in events:
        missed |= event["event"] == "wake" and event["cause"] == "miss"
        turn = {"at": event["at"], "decision": None, "from": gear, "to": event.get("gear"), "reason": None,
                "explain": None, "ms": None, "copied_before": event.get("propagated_bytes")}
        if event["event"] == "decision":
            found.append(turn | {name: event[name] for name in ("decision", "reason", "about", "explain")})
        elif event["event"] == "shift":
            due = open_turn(found, event["gear"])
            if not due:
                found.append(due := turn)
                if missed:
                    due.update(decision="up", reason="miss", at=event["at"] - event["shift_last_ms"] / 1000)
            missed = False
            due.update(done=event["at"], ms=event["shift_last_ms"])
            gear = event["gear"]
    return found


def open_turn(found, gear):
    """The decision since the last shift that a shift to `gear` is of."""
    for turn in reversed(found):
        if turn["ms"] is not None:
            return None
        if turn["to"] == gear and turn["decision"] != "stay":
            return turn
    return None


def shifts(samples, events):
    """Those turns in which the gear has changed, each with what was propagated until the next."""
    found = [turn for turn in turns(samples, events) if turn["ms"] is not None]
    copied = [turn["copied_before"] for turn in found] + [samples[-1]["propagated_bytes"]]
    return [turn | {"propagated_bytes": after - before}
            for turn, before, after in zip(found, copied, copied[1:])]


def in_gears(gear, changes, start, end):
    """Seconds in each gear between two times, from the one of the day's beginning on."""
    found, at = {}, start
    for shift in [shift for shift in changes if shift["done"] < end] + [{"done": end, "to": None}]:
        if shift["done"] > at:
            found[gear] = found.get(gear, 0) + shift["done"] - at
            at = shift["done"]
        gear = shift["to"]
    return found


def wakes(events, disks):
    """How often the array told that it has started each disk, and for what: {cause: counts}."""
    found = {}
    for event in events:
        if event["event"] == "wake":
            found.setdefault(event["cause"], [0] * disks)[event["member"]] += 1
    return found


def accounted_ns(disk):
    return sum(disk[ns] for ns in STATES)


def stood(samples, disks, spans):
    """These disks stood whenever we looked in these spans of time."""
    looks = [sample["states"][disk] for sample in samples for disk in disks
             if any(start <= sample["at"] < end for start, end in spans)]
    return bool(looks) and all(look == "standby" for look in looks)
