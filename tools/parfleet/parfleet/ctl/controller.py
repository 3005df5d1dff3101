# SPDX-License-Identifier: GPL-2.0
"""The controller: looks, plans, stores the state, and does the next step. One of them acts at a time.

`mons` in this file has the methods mon(prefix, **arguments) and mgr(prefix, **arguments), which send a command and
return its JSON (`raw`: its text), and many([(prefix, arguments)]), which sends several at once to the monitors. They
raise MonError if a command fails. ctl/mons.py has the real ones, sim/fake.py those of tests.
"""
import dataclasses
import itertools
import json

from ..core import guard, observe, plan, predict, steps
from ..core.model import Affinity, Config, State, Want
from . import store

ENOENT = 2
BRIEF = {"pg dump": {"dumpcontents": ["pgs_brief"]}}
SCRUBS = 3600   # seconds between two looks at the times of scrubs
BEAT = 300      # seconds after which the state is written again, if not earlier: the failsafe waits three times as long


class MonError(Exception):
    """A command failed: `code` is an errno, the text what the monitors say."""

    def __init__(self, code, text):
        super().__init__(text)
        self.code = code


class OtherOwner(Exception):
    """Another controller acts; the text names it."""


def get(mons, key):
    """The value of a config-key as text, or None if there is none."""
    try:
        return mons.mon("config-key get", key=key, raw=True)
    except MonError as error:
        if error.code == ENOENT:
            return None
        raise


def documents(mons, prefix):
    """{host: JSON document} of the keys below `prefix`; what is no JSON is left out."""
    found = {}
    for key, text in mons.mon("config-key dump", key=prefix).items():
        try:
            found[key[len(prefix):]] = json.loads(text)
        except ValueError:
            continue
    return found


class Arrivals:
    """When the reports of the agents arrived, by the controller's own clock: theirs may be wrong.

    A report that is there when the controller starts may be old. It counts when it has changed.
    """

    def __init__(self):
        self.known = {}     # {host: (number of the report, when it was noticed or None)}

    def stamp(self, seen, now):
        """The documents {host: document} with the time `at` of their arrival; those of unknown age are left out."""
        found = {}
        for host, document in seen.items():
            number = document.get("number") if isinstance(document, dict) else None
            old = self.known.get(host)
            if old is None:
                self.known[host] = (number, None)
            elif old[0] != number:
                self.known[host] = (number, now)
            if self.known[host][1] is not None and number is not None:
                found[host] = {**document, "at": self.known[host][1]}
        return found


class Controller:
    """One controller. Its memory besides the state on the monitors: when reports arrived, and leases given."""

    def __init__(self, mons, clock, options, owner, speed=None):
        """clock: a function that returns seconds since 1970. owner: a name that no other controller has."""
        self.mons, self.clock, self.options, self.owner = mons, clock, options, owner
        self.speed = speed or observe.load.Speed()
        self.arrivals = Arrivals()
        self.others = None      # (what another controller wrote last, when that was noticed)
        self.given = {}         # {host: Lease} as of this controller
        self.written = float("-inf")    # when this controller wrote the state
        self.seen = None                # Observed, of the last step
        self.deep, self.deep_at = {}, None      # times of deep scrubs, and when they were read

    def look(self, trust=False):
        """Observed. Raises MonError, and KeyError, TypeError or ValueError if the output of Ceph is not understood.

        trust: take each report of an agent as one of now, for a command that only shows.
        """
        dumps = {command: self.mons.mon(command) for command in observe.MON}
        dumps.update({command: self.mons.mgr(command, **BRIEF.get(command, {})) for command in observe.MGR})
        now = self.clock()
        if self.deep_at is None or not 0 <= now - self.deep_at < SCRUBS:
            # 2.5 kB a PG in place of 0.1.
            self.deep, self.deep_at = observe.deep_scrubs(self.mons.mgr("pg dump", dumpcontents=["pgs"])), now
        seen = documents(self.mons, store.SEEN)
        seen = {host: {**document, "at": now} for host, document in seen.items() if isinstance(document, dict)} \
            if trust else self.arrivals.stamp(seen, now)
        obs = observe.observe(dumps, seen, documents(self.mons, store.WANT), self.deep, now,
                              self.speed)
        # When a lease ends is known only of those that this controller has given; others are given again.
        leases = {host: lease._replace(until=self.given[host].until if host in self.given else 0.0)
                  for host, lease in obs.leases.items()}
        return dataclasses.replace(obs, leases=leases)

    def load_state(self):
        """(State, owner, text). A cluster without a state gives an empty one. Raises store.BadState."""
        text = get(self.mons, store.STATE)
        return (*store.load(text), text) if text is not None else (State(), None, None)

    def load_history(self):
        """The History; an empty one if what is stored is damaged: it will be learnt again."""
        try:
            return predict.History.from_json(json.loads(get(self.mons, store.HISTORY) or "{}"))
        except ValueError:
            return predict.History()

    def claim(self, owner, text, now):
        """Raise OtherOwner if another controller has written the state within its lease."""
        if owner in (None, "", self.owner):
            return
        if self.others is None or self.others[0] != text:
            self.others = (text, now)
        if now - self.others[1] < self.options.lease:
            raise OtherOwner(f"the controller {owner} acts, or did {now - self.others[1]:.0f} s ago; this one "
                             f"takes over when it has been silent for {self.options.lease:.0f} s")

    def consider(self, change=None):
        """(Observed, State as stored, Planned, owner) of now. Changes nothing."""
        obs = self.look(trust=True)
        state, owner, _ = self.load_state()
        planned = plan.plan(obs, change(state) if change else state, self.load_history(), self.options)
        return obs, state, planned, owner

    def watch(self):
        """Keep the history of the load only: what the controller does in the mode observe."""
        obs, history = self.look(), self.load_history()
        self.record(history, obs)

    def step(self, change=None):
        """Look, plan, act: returns Planned. Raises what look(), load_state() and claim() raise.

        change: a function State -> State, for what the administrator asks for.
        """
        obs = self.seen = self.look()
        before, owner, text = self.load_state()
        self.claim(owner, text, obs.now)
        state = before
        if change:
            state = change(state)
        history = self.load_history()
        planned = plan.plan(obs, state, history, self.options)
        beat = min(self.options.lease / 3, BEAT)
        if planned.state != before or owner != self.owner or not 0 <= obs.now - self.written < beat:
            self.write(planned.state, obs.now)
        done = planned.state
        for batch in batches(planned.intents):
            if self.may(batch, planned.state):
                if len(batch) > 1:
                    # Within a second of a commit the monitors gather changes of the map into one epoch
                    # (paxos_propose_interval): PGs peer once, not twice.
                    self.write(done, obs.now)
                self.act(batch)
                done = confirm(done, batch)
        if done != planned.state:
            # What was done is known to have been done: whoever changes it from here on is somebody else.
            self.write(done, obs.now)
        # Last: if the monitors have no room for it, groups wake all the same.
        self.record(history, obs)
        return planned._replace(state=done)

    def write(self, state, now):
        """Store the State, and show that this controller is alive. Raises BadState if it is too large."""
        text = store.dump(state, self.owner, now)
        if len(text) > store.MOST:
            raise store.BadState(f"the state needs {len(text)} bytes, and the monitors take {store.MOST}")
        self.mons.mon("config-key set", key=store.STATE, val=text)
        self.written = now

    def may(self, batch, state):
        """Does a step that takes replicas away still leave enough, by a fresh map? (I1)"""
        less = [intent.osd for intent in batch if isinstance(intent, Affinity) and intent.value == 0]
        if not less:
            return True
        obs = dataclasses.replace(self.look(), layout=state.layout)
        if all(osd in obs.osds and obs.osds[osd].affinity == 0 for osd in less):
            return True
        name = next((name for name, group in state.groups.items() if less[0] in group.values), None)
        group = next((group for group in plan.every_group(obs, state) if group.name == name), None)
        return group is not None and not guard.unwell(obs) and not steps.spares(obs, state, group, self.options)

    def act(self, batch):
        """Do intents, of affinities several at once: so they make few epochs. Each may be done twice."""
        commands = []
        for intent in batch:
            if isinstance(intent, Affinity):
                commands.append(("osd primary-affinity", {"id": intent.osd, "weight": float(intent.value)}))
            elif isinstance(intent, Config) and intent.value is None:
                commands.append(("config rm", {"who": intent.who, "name": intent.name}))
            elif isinstance(intent, Config):
                commands.append(("config set", intent._asdict()))
            else:
                self.given[intent.host] = intent.lease
                text = json.dumps({"osds": {str(osd): want for osd, want in intent.lease.want.items()},
                                   "seconds": self.options.lease, "until": intent.lease.until})
                commands.append(("config-key set", {"key": store.WANT + intent.host, "val": text}))
        self.mons.many(commands)

    def record(self, history, obs):
        """Keep the peak of this hour; written only if it is a new one, so at most some times an hour."""
        before = json.dumps(history.to_json())
        history.record(obs.now, obs.load)
        after = json.dumps(history.to_json())
        if after != before:
            self.mons.mon("config-key set", key=store.HISTORY, val=after)


def batches(intents):
    """The intents in their order, affinities together and all others alone."""
    for affinities, some in itertools.groupby(intents, lambda intent: isinstance(intent, Affinity)):
        if affinities:
            yield list(some)
        else:
            yield from ([intent] for intent in some)


def confirm(state, batch):
    """The State after the intents were done."""
    done = {intent.osd if isinstance(intent, Affinity) else (intent.who, intent.name): intent.value
            for intent in batch if not isinstance(intent, Want)}
    groups = {}
    for name, group in state.groups.items():
        values = {key: dataclasses.replace(value, confirmed=True) if done.get(key, ...) == value.now else value
                  for key, value in group.values.items()}
        groups[name] = dataclasses.replace(group, values=values)
    return dataclasses.replace(state, groups=groups)


def is_awake(state):
    """Has everything been given back?"""
    return not state.groups


def release(mons, state):
    """Remove what parfleet keeps on the monitors. Raises ValueError while a group has settings of ours."""
    if not is_awake(state):
        raise ValueError("groups still have settings of parfleet: " + ", ".join(sorted(state.groups)))
    for key in sorted(mons.mon("config-key dump", key=store.PREFIX)):
        mons.mon("config-key rm", key=key)
