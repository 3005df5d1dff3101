# SPDX-License-Identifier: GPL-2.0
"""The commands of parfleet: arguments, one call each, an exit code. Documentation/parfleet.md describes them."""
import argparse
import dataclasses
import json
import socket
import sys
import time

from ..core import budget, layout, load, observe, predict, scrub
from ..core.model import DOZE
from . import control, daemon, doctor, settings, store
from .controller import BRIEF, Controller, MonError, OtherOwner, documents, get, release

DONE, PROBLEM, USAGE, NONE, DENIED, DAMAGED, REFUSED, BEGUN, MISSING, OUTPUT = range(10)
EACCES, EPERM = 13, 1
DAY, HOUR = 86400, 3600


class Failure(Exception):
    """One line for the user, and the exit code."""

    def __init__(self, code, text):
        super().__init__(text)
        self.code = code


class Context:
    """What commands need: the monitors, the settings, the clock, where to print."""

    def __init__(self, mons, config, clock=time.time, sleep=time.sleep, out=None):
        self.mons, self.config, self.clock, self.sleep = mons, config, clock, sleep
        self.out = out or sys.stdout
        # A controller that is started again goes on at once, so its name is that of the host.
        self.controller = Controller(mons, clock, config.options, socket.gethostname(), config.speed)

    def wish(self):
        return control.load(get(self.mons, control.KEY))

    def ask(self, **changes):
        self.mons.mon("config-key set", key=control.KEY, val=control.dump(dataclasses.replace(self.wish(), **changes)))

    def considered(self):
        return self.controller.consider(daemon.change(self.wish(), self.config.mode))

    def reports(self):
        """{OSD: what its agent reported last}"""
        found = {}
        for document in documents(self.mons, store.SEEN).values():
            osds = document.get("osds") if isinstance(document, dict) else None
            for osd, report in osds.items() if isinstance(osds, dict) else ():
                if osd.isdigit() and isinstance(report, dict):
                    found[int(osd)] = report
        return found

    def show(self, args, name, document, lines):
        """Print one JSON document, or the lines."""
        text = json.dumps({"schema": f"parfleet.{name}/1", **document}) if args.json else "\n".join(lines)
        try:
            print(text, file=self.out, flush=True)
        except OSError as error:
            raise Failure(OUTPUT, f"the output cannot be written: {error.strerror}") from None


def dumps_of(context):
    found = {command: context.mons.mon(command) for command in observe.MON}
    found.update({command: context.mons.mgr(command, **BRIEF.get(command, {})) for command in observe.MGR})
    return found


def detected(dumps):
    pools, pgs = list(observe.pools(dumps["osd dump"]).values()), observe.pgs(dumps["pg dump"], {})
    return layout.detect(layout.tree(dumps["osd crush dump"]), pools, pgs)


def cmd_doctor(context, args):
    """find what keeps this cluster from dozing"""
    dumps = dumps_of(context)
    obs = context.controller.look(trust=True)
    found = doctor.findings(obs, detected(dumps)[1], dumps, context.reports(),
                            context.config.options)
    context.show(args, "doctor", {"findings": [f._asdict() for f in found]}, [f"{f.level:5}{f.text}" for f in found])
    return PROBLEM if any(f.level == "stop" for f in found) else DONE


def cmd_layout(context, args):
    """show the gear groups that exist, or the steps that make some; `apply` takes the next one"""
    dumps = dumps_of(context)
    found, reason = detected(dumps)
    holds = "norebalance" in dumps["osd dump"]["flags_set"]
    if found and not reason and not holds:
        groups = {group.name: list(group.osds) for group in found.groups}
        context.show(args, "layout", {"type": found.type, "groups": groups, "reason": None, "steps": []},
                     [f"Groups exist: nothing has to be moved. The type is {found.type}."] +
                     [f"  {name}: {' '.join(f'osd.{osd}' for osd in osds)}" for name, osds in groups.items()])
        return DONE
    steps = steps_left(context, dumps, args.type, reason) if not found or holds else []
    lines = [f"No groups: {reason}." if reason else "Groups exist, and norebalance is set."]
    lines += ["These steps are left. parfleet layout apply takes the next one." if steps else "Data moves: wait."]
    for number, step in enumerate(steps, 1):
        lines += [f"Step {number}, moves {'nothing' if not step.moves else f'up to {step.moves / 1e9:.1f} GB'}:",
                  *(f"  {command.text}" for command in step.commands)]
    if args.action == "apply" and steps:
        take(context, steps[0], dumps)
        lines = [f"done: {command.text}" for command in steps.pop(0).commands]
        lines += ["Ceph moves data now: see ceph status." if not steps else
                  "parfleet layout shows what is next, ceph status how much is misplaced."]
    context.show(args, "layout", {"type": None, "groups": None, "reason": reason, "steps": [
        {"commands": [command.text for command in step.commands], "moves": step.moves} for step in steps]}, lines)
    return PROBLEM if steps or args.action == "plan" else DONE


def steps_left(context, dumps, kind, reason):
    pools = list(observe.pools(dumps["osd dump"]).values())
    used = {n["id"]: n["kb_used_data"] * 1024 for n in context.mons.mgr("osd df")["nodes"]}
    try:
        return layout.build(layout.tree(dumps["osd crush dump"]), pools, used, kind)
    except ValueError as error:
        raise Failure(REFUSED, f"no groups ({reason}), and none can be made: {error}") from None


def take(context, step, dumps):
    """Run the commands of a step, if all copies are there and no group dozes."""
    unwell = observe.pgs(dumps["pg dump"], {}).unwell_but_misplaced
    if unwell:
        raise Failure(REFUSED, f"{unwell} PGs lack copies or are damaged: wait until ceph status shows none")
    if context.controller.load_state()[0].groups:
        raise Failure(REFUSED, "groups doze: parfleet release --all first")
    for command in step.commands:
        try:
            context.mons.mon(command.prefix, **command.args)
        except MonError as error:
            text = f"{command.text}: {error}"
            if error.code in (EACCES, EPERM):
                raise Failure(DENIED, f"{text}; layouts need another key: --name client.admin") from None
            raise Failure(BEGUN, f"{text}; parfleet layout shows what is left") from None


def hours_ahead(context, obs, history):
    """[(time, predicted load or None, gear)] of the next 24 hours."""
    options, found = context.config.options, []
    top, osds = len(obs.layout.groups), sum(len(group.osds) for group in obs.layout.groups)
    for number in range(24):
        when = (obs.now // HOUR + number) * HOUR
        predicted = history.predict(when)
        found.append((when, predicted, top if predicted is None else
                      load.gear_for(predicted, osds, top, options.g_min)))
    return found


def need_layout(obs):
    if obs.layout is None:
        raise Failure(REFUSED, "there are no gear groups: see parfleet layout")


def cmd_plan(context, args):
    """show what a doze would save, beside what the servers take, and what it would cost"""
    obs = context.controller.look(trust=True)
    need_layout(obs)
    price, hours = context.config.price, hours_ahead(context, obs, context.controller.load_history())
    top, disks = len(obs.layout.groups), sum(len(group.osds) for group in obs.layout.groups)
    servers = len({obs.hosts.get(osd) for group in obs.layout.groups for osd in group.osds})
    asleep = sum(1 - gear / top for _, _, gear in hours) / 24
    most = 1 - context.config.options.g_min / top
    each = price.disk_awake - price.disk_asleep
    total = disks * price.disk_awake + servers * price.server
    used = {n["id"]: n["kb_used_data"] * 1024 for n in context.mons.mgr("osd df")["nodes"]}
    fullest = max((used.get(osd, 0) for group in obs.layout.groups for osd in group.osds), default=0)
    share = scrub.share_of_time(fullest, context.config.speed.read_bytes, obs.scrub_interval)
    sizes = [(r.get("rate", 0), r["db"]) for r in context.reports().values() if r.get("db")]
    wear = max((budget.wear(rate, 24 * asleep, size) for rate, size in sizes), default=0.0)
    unknown = sum(predicted is None for _, predicted, _ in hours)
    saved, euros = asleep * disks * each, asleep * disks * each * 8.76 * price.kwh
    document = {"disks": disks, "servers": servers, "watts": total, "saved_watts": saved, "saved_a_year": euros,
                "most_watts": most * disks * each, "hours_unknown": unknown, "scrub_share": share, "wear": wear}
    context.show(args, "plan", document, [
        f"{servers} servers with {disks} disks take about {total:.0f} W, "
        f"of which the disks {disks * price.disk_awake:.0f} W.",
        f"A doze by the predicted load would save {saved:.1f} W ({100 * saved / total:.1f} %), {euros:.0f} a year; "
        f"at most {most * disks * each:.1f} W.",
        f"{unknown} of 24 hours were seen on fewer than two days, so all disks turn in these."
        if unknown else "The load of each hour has been seen before.",
        "The servers themselves stay on: a doze stops disks only.",
        f"Deep scrubs of the fullest disk take {100 * share:.1f} % of all time; they run while all groups are awake.",
        f"Each write of a doze is written to flash twice, and kept in memory until it is drained: at the present rate "
        f"{wear:.2f} times the size of block.db a day at most."])
    return DONE


def cmd_schedule(context, args):
    """show the gear that each of the next 24 hours will need"""
    obs = context.controller.look(trust=True)
    need_layout(obs)
    hours = hours_ahead(context, obs, context.controller.load_history())
    lines = ["hour (UTC)  load (OSDs)  gear"]
    for when, predicted, gear in hours:
        shown = "unknown" if predicted is None else f"{predicted:.1f}"
        lines.append(f"{time.strftime('%a %H:00', time.gmtime(when)):10}  {shown:>11}  {gear:4}")
    context.show(args, "schedule", {"hours": [{"at": w, "load": p, "gear": g} for w, p, g in hours]}, lines)
    return DONE


def cmd_history(context, args):
    """show the peak load of each hour of the last days"""
    history = context.controller.load_history()
    days = sorted(history.peaks)[-args.days:]
    lines = ["peak load of each hour (UTC), in OSDs"]
    lines += [time.strftime("%a %d %b ", time.gmtime(day * DAY)) + " ".join(
        f"{'-' if peak is None else f'{peak:.1f}':>5}" for peak in history.peaks[day]) for day in days]
    context.show(args, "history", {"days": {str(day): history.peaks[day] for day in days}}, lines)
    return DONE


def described(obs, state):
    """[(group, "awake", "dozes", "on its way to doze" or "wakes")]"""
    for group in obs.layout.groups:
        held = state.groups.get(group.name)
        yield group, ("awake" if held is None else "wakes" if held.want != DOZE else
                      "dozes" if held.valve is not None else "on its way to doze")


def cmd_status(context, args):
    """show the gear, the groups, and their disks"""
    obs, state, planned, owner = context.considered()
    need_layout(obs)
    reports, groups, lines = context.reports(), [], []
    for group, what in described(obs, state):
        mine = [reports[osd] for osd in group.osds if osd in reports]
        known = [report.get("spinning") for report in mine]
        stopped, pending = known.count(False), sum(int(report.get("pending", 0)) for report in mine)
        groups.append({"name": group.name, "state": what, "osds": list(group.osds), "reported": len(known),
                       "stopped": stopped, "pending": pending, "left_alone": group.name in state.left})
        lines.append(f"  {group.name:12} {what:20} {stopped} of {len(group.osds)} disks stopped, "
                     f"{pending / 2**20:.1f} MiB pending"
                     + (", changed by somebody else: parfleet resume" if group.name in state.left else ""))
    now = len(groups) - sum(group["state"] in ("dozes", "on its way to doze") for group in groups)
    document = {"mode": context.config.mode, "gear": now, "wanted": planned.gear, "top": len(groups),
                "controller": owner, "load": obs.load, "groups": groups, "reasons": list(planned.reasons)}
    context.show(args, "status", document, [
        f"gear {now} of {len(groups)}, wanted {planned.gear}; load {obs.load:.1f} OSDs; mode {context.config.mode}; "
        f"controller {owner or 'none yet'}", *lines])
    return DONE


def cmd_explain(context, args):
    """explain why the cluster is in its gear, and what would come next"""
    obs, _, planned, _ = context.considered()
    need_layout(obs)
    intents = [daemon.describe(intent) for intent in planned.intents]
    context.show(args, "explain", {"gear": planned.gear, "reasons": list(planned.reasons), "next": intents},
                 [f"gear {planned.gear} is wanted:", *(f"  {reason}" for reason in planned.reasons)]
                 + (["next:", *(f"  {text}" for text in intents)] if intents else ["nothing is to be done now"]))
    return DONE


def cmd_gear(context, args):
    """stay in gear N, or choose the gear by the load again"""
    top = len(need(context).groups)
    if args.gear == "auto":
        if context.config.mode != "auto":
            raise Failure(REFUSED, f"the mode is {context.config.mode}: set mode = auto in {settings.PATH}")
        context.ask(gear=None)
    else:
        number = int(args.gear) if args.gear.isdigit() else 0
        least = context.config.options.g_min
        if not least <= number <= top:
            raise Failure(USAGE, f"no gear {args.gear}: need {least} to {top}, or auto")
        if context.config.mode == "observe":
            raise Failure(REFUSED, f"the mode is observe, which changes nothing: set mode = advise in {settings.PATH}")
        context.ask(gear=number)
    context.show(args, "gear", {"gear": args.gear}, [f"asked for gear {args.gear}: see parfleet status"])
    return DONE


def need(context):
    obs = context.controller.look(trust=True)
    need_layout(obs)
    return obs.layout


def cmd_hold(context, args):
    """keep all groups awake, or keep the gear as it is, until resume"""
    context.ask(hold=args.how)
    context.show(args, "hold", {"hold": args.how}, [f"held: {args.how}"])
    return DONE


def cmd_resume(context, args):
    """end a hold; groups that somebody changed take part again, with these changes kept"""
    context.ask(hold=None, resumed=context.clock())
    context.show(args, "resume", {"hold": None}, ["resumed"])
    return DONE


def cmd_probe(context, args):
    """let one OSD doze for some time without stopping its disk, and count the disk's requests"""
    if context.config.mode == "observe":
        raise Failure(REFUSED, f"the mode is observe, which changes nothing: set mode = advise in {settings.PATH}")
    if context.wish().hold:
        raise Failure(REFUSED, "parfleet is held: parfleet resume ends that")
    name = args.osd[4:] if args.osd.startswith("osd.") else args.osd
    if not name.isdigit() or int(name) not in [osd for group in need(context).groups for osd in group.osds]:
        raise Failure(USAGE, f"no OSD {args.osd} in a gear group: see parfleet layout")
    asked, probe = context.clock(), None
    context.ask(probe=[int(name), args.seconds, asked])
    end = asked + args.seconds + args.timeout
    while context.clock() < end:
        probe = context.controller.load_state()[0].probe
        if probe is not None and probe.asked == asked and probe.done:
            break
        context.sleep(2)
    else:
        raise Failure(BEGUN, f"osd.{name} was not probed within {end - asked:.0f} s: does the controller run? "
                             "parfleet explain says what it waits for")
    if probe.began is None:
        raise Failure(REFUSED, f"osd.{name} was not probed: parfleet explain says why all groups have to be awake")
    took = probe.ended - probe.began
    requests, unaligned = (now - then for now, then in zip(probe.last, probe.first))
    context.show(args, "probe", {"osd": int(name), "seconds": took, "requests": requests, "unaligned": unaligned}, [
        f"osd.{name} dozed for {took:.0f} s: {requests} requests to its disk, {unaligned} overwrites were not aligned"])
    return PROBLEM if requests or took < args.seconds else DONE


def cmd_release(context, args):
    """give everything back and remove what parfleet keeps on the monitors"""
    context.ask(hold="awake", gear=None)
    end, beat, state = context.clock() + args.timeout, None, None
    alive_until = context.clock() + 3 * context.config.interval + 5
    while context.clock() < end:
        state, _, text = context.controller.load_state()
        if not state.groups:
            break
        if text != beat:
            beat, alive_until = text, context.clock() + 3 * context.config.interval + 5
        if context.clock() > alive_until:
            # No controller does it. Two that wake the same groups do no harm: the claim of the other is not heeded.
            context.controller.claim = lambda *_: None
            context.controller.step(control.hold("awake"))
        context.sleep(1)
    if state.groups:
        raise Failure(BEGUN, f"not given back within {args.timeout:.0f} s: {', '.join(sorted(state.groups))}; again")
    release(context.mons, state)
    context.show(args, "release", {"released": True}, [
        "everything was given back; stop parfleet and parfleet-agent now, they would store their state again"])
    return DONE


def cmd_daemon(context, args):
    """run the controller (by systemd)"""
    with socket.socket(socket.AF_UNIX) as lock:
        try:
            lock.bind(daemon.LOCK)
        except OSError:
            raise Failure(REFUSED, "another parfleet daemon runs on this host") from None
        return daemon.run(context)


COMMANDS = {name[4:]: function for name, function in list(globals().items()) if name.startswith("cmd_")}


def parser():
    top = argparse.ArgumentParser(prog="parfleet", description="Gears for a Ceph cluster: groups of disks sleep while "
                                  "the load is low.", epilog="See Documentation/parfleet.md.")
    top.add_argument("--ceph-conf", default="/etc/ceph/ceph.conf", metavar="FILE", help="default: %(default)s")
    top.add_argument("--name", default="client.parfleet", help="whose key is used (default: %(default)s)")
    top.add_argument("--config", default=settings.PATH, metavar="FILE", help="default: %(default)s")
    top.add_argument("--json", action="store_true", help="print one JSON document")
    commands = top.add_subparsers(dest="command", metavar="COMMAND", required=True)
    made = {name: commands.add_parser(name, help=f.__doc__, description=f.__doc__) for name, f in COMMANDS.items()}
    made["layout"].add_argument("action", nargs="?", default="plan", choices=("plan", "apply"),
                                help="default: %(default)s")
    made["layout"].add_argument("--type", default="pdu", help="bucket type for new groups (default: %(default)s)")
    made["history"].add_argument("--days", type=int, default=predict.DAYS, help="default: %(default)s")
    made["gear"].add_argument("gear", metavar="N|auto")
    made["hold"].add_argument("how", nargs="?", default="awake", choices=control.HOLDS, help="default: %(default)s")
    made["probe"].add_argument("osd", metavar="OSD")
    made["probe"].add_argument("--seconds", type=float, default=600, help="default: %(default)s")
    made["probe"].add_argument("--timeout", type=float, default=1800,
                               help="seconds until it begins (default: %(default)s)")
    made["release"].add_argument("--all", action="store_true", required=True)
    made["release"].add_argument("--timeout", type=float, default=600, help="seconds (default: %(default)s)")
    return top


def connect(args):
    from . import mons
    try:
        return mons.Mons(args.ceph_conf, args.name)
    except ImportError:
        raise Failure(MISSING, "python3-rados is not installed") from None
    except mons.Unreachable as error:
        raise Failure(NONE, str(error)) from None


def main(argv=None, mons=None, **context):
    """The exit code. mons: in place of a cluster's, for tests."""
    args = parser().parse_args(argv)
    try:
        config = settings.load(args.config)
        return COMMANDS[args.command](Context(mons or connect(args), config, **context), args)
    except settings.BadSettings as error:
        code, text = USAGE, str(error)
    except Failure as error:
        code, text = error.code, str(error)
    except MonError as error:
        code, text = DENIED if error.code in (EACCES, EPERM) else NONE, str(error)
    except store.BadState as error:
        code, text = DAMAGED, str(error)
    except OtherOwner as error:
        code, text = REFUSED, str(error)
    except (KeyError, TypeError, ValueError) as error:
        code, text = DAMAGED, f"the output of Ceph is not understood ({type(error).__name__}: {error})"
    print("parfleet: " + " ".join(text.split()), file=sys.stderr)
    return code
