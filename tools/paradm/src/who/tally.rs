// SPDX-License-Identifier: GPL-2.0
//! What each process has done, counted.

use super::line::Event;
use super::log::{Entry, Load, What};
use super::process::Process;
use serde::Serialize;
use std::collections::{BTreeMap, VecDeque};
use std::path::PathBuf;
use std::time::Duration;

/// A wake by the policy follows its load by the time that the disk takes to start.
const RECENT: Duration = Duration::from_secs(60);
/// So many processes are told of one load, and of an array.
const LOADS: usize = 3;
const USERS: usize = 20;

/// What a process has sent to a device.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize)]
pub struct Use {
    pub process: Process,
    pub reads: u64,
    pub read_bytes: u64,
    pub writes: u64,
    pub write_bytes: u64,
    /// Neither: SMART, power modes.
    pub commands: u64,
    /// How often it has changed files whose data is written later, by a thread of the kernel.
    pub changes: u64,
}

impl Use {
    pub fn requests(&self) -> u64 {
        self.reads + self.writes + self.commands
    }

    fn count(&mut self, event: &Event) {
        match event {
            Event::Request {
                write: false,
                bytes,
                ..
            } => {
                self.reads += 1;
                self.read_bytes += bytes;
            }
            Event::Request {
                write: true, bytes, ..
            } => {
                self.writes += 1;
                self.write_bytes += bytes;
            }
            Event::Command { .. } => self.commands += 1,
            Event::Changed { .. } => self.changes += 1,
            Event::Decision { .. } => {}
        }
    }
}

#[derive(Debug, Serialize)]
pub struct Touched {
    pub member: u32,
    pub device: String,
    #[serde(flatten)]
    pub usage: Use,
}

/// The policy wants another gear.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Decision {
    pub time: i64,
    pub array: String,
    pub gear: u32,
    pub decided: u32,
    /// As `PAR_REASON`.
    pub reason: String,
    pub busy_percent: f64,
    /// Who has loaded the array in the minute before, the busiest first.
    pub load: Vec<Load>,
}

#[derive(Debug, Serialize)]
pub struct ArrayUse {
    pub name: String,
    pub wakes: Vec<Entry>,
    pub decisions: Vec<Decision>,
    /// Past the array, to disks that the gear leaves out.
    pub touches: Vec<Touched>,
    /// Of the array itself, the busiest first.
    pub users: Vec<Use>,
}

/// What [`watch`](super::watch()) has seen.
#[derive(Debug, Serialize)]
pub struct Watched {
    pub seconds: u64,
    /// Events that the kernel has told of; none without tracefs.
    pub sources: Vec<&'static str>,
    /// Events that came too fast.
    pub lost: u64,
    pub arrays: Vec<ArrayUse>,
}

/// The array, the sleeper if it is past the array, and the process.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
struct Key {
    array: String,
    member: Option<(u32, String)>,
    pid: u32,
    comm: String,
}

/// On both clocks.
#[derive(Debug, Clone, Copy)]
pub struct Moment {
    pub monotonic: Duration,
    /// Seconds since 1970.
    pub time: i64,
}

#[derive(Default)]
pub struct Tally {
    /// Only what is logged is kept: it may go on for weeks.
    log_only: bool,
    uses: BTreeMap<Key, Use>,
    /// Requests to arrays in the last [`RECENT`].
    recent: VecDeque<(Duration, Key, u64)>,
    processes: BTreeMap<(u32, String), Process>,
    wakes: Vec<Entry>,
    decisions: Vec<Decision>,
    /// Requests past the array that are in the log, and when others began.
    logged: BTreeMap<Key, u64>,
    since: BTreeMap<Key, i64>,
}

impl Tally {
    pub fn new(log_only: bool) -> Self {
        Tally {
            log_only,
            ..Tally::default()
        }
    }

    /// A process of an array's, or of a sleeper's of it, has done that. True: for the first time.
    pub fn count(
        &mut self,
        array: &str,
        member: Option<(u32, &str)>,
        process: &Process,
        event: &Event,
        now: Moment,
    ) -> bool {
        let key = Key {
            array: array.to_owned(),
            member: member.map(|(number, device)| (number, device.to_owned())),
            pid: process.pid,
            comm: process.comm.clone(),
        };
        let is_load =
            member.is_none() && matches!(event, Event::Request { .. } | Event::Changed { .. });
        if is_load {
            self.add_recent(&key, process, now.monotonic);
        }
        if self.log_only && member.is_none() {
            return false;
        }
        if member.is_some() {
            self.since.entry(key.clone()).or_insert(now.time);
        }
        let usage = self.uses.entry(key).or_default();
        let first = *usage == Use::default();
        usage.count(event);
        merge(&mut usage.process, process);
        first
    }

    fn add_recent(&mut self, key: &Key, process: &Process, now: Duration) {
        let id = (key.pid, key.comm.clone());
        merge(self.processes.entry(id).or_default(), process);
        match self.recent.back_mut() {
            Some((at, last, requests)) if last == key && *at == now => *requests += 1,
            _ => self.recent.push_back((now, key.clone(), 1)),
        }
    }

    /// What is no longer recent.
    pub fn forget(&mut self, now: Duration) {
        let old = |(at, _, _): &(Duration, Key, u64)| *at + RECENT < now;
        while self.recent.front().is_some_and(old) {
            self.recent.pop_front();
        }
        if self.recent.is_empty() {
            self.processes.clear();
        }
    }

    /// Who has loaded the array lately.
    pub fn loads(&self, array: &str) -> Vec<Load> {
        let mut sums: BTreeMap<(u32, &str), u64> = BTreeMap::new();
        for (_, key, requests) in self.recent.iter().filter(|(_, key, _)| key.array == array) {
            *sums.entry((key.pid, &key.comm)).or_default() += requests;
        }
        let mut loads: Vec<_> = sums
            .into_iter()
            .filter_map(|((pid, comm), requests)| {
                let process = self.processes.get(&(pid, comm.to_owned()))?.clone();
                Some(Load { process, requests })
            })
            .collect();
        loads.sort_by_key(|load| std::cmp::Reverse(load.requests));
        loads.truncate(LOADS);
        loads
    }

    pub fn add_wake(&mut self, entry: &Entry) {
        if !self.log_only {
            self.wakes.push(entry.clone());
        }
    }

    pub fn add_decision(&mut self, decision: &Decision) {
        if !self.log_only {
            self.decisions.push(decision.clone());
        }
    }

    /// Touches since the last call, for the log.
    pub fn new_touches(&mut self) -> Vec<Entry> {
        let mut entries = Vec::new();
        for (key, usage) in &self.uses {
            let Some((member, device)) = &key.member else {
                continue;
            };
            let before = self.logged.insert(key.clone(), usage.requests());
            let requests = usage.requests() - before.unwrap_or(0);
            let Some(time) = self.since.remove(key) else {
                continue;
            };
            entries.push(Entry {
                time,
                array: key.array.clone(),
                member: *member,
                device: device.clone(),
                what: What::Touch {
                    process: usage.process.clone(),
                    requests,
                },
            });
        }
        if self.log_only {
            self.uses.clear();
            self.logged.clear();
        }
        entries
    }

    pub fn arrays(&self, names: &[String]) -> Vec<ArrayUse> {
        names.iter().map(|name| self.array(name)).collect()
    }

    fn array(&self, name: &str) -> ArrayUse {
        let (mut touches, mut users) = (Vec::new(), Vec::new());
        for (key, usage) in self.uses.iter().filter(|(key, _)| key.array == name) {
            match &key.member {
                Some((member, device)) => touches.push(Touched {
                    member: *member,
                    device: device.clone(),
                    usage: usage.clone(),
                }),
                None => users.push(usage.clone()),
            }
        }
        users.sort_by_key(|usage| {
            std::cmp::Reverse((usage.read_bytes + usage.write_bytes, usage.requests()))
        });
        users.truncate(USERS);
        let wakes = self.wakes.iter().filter(|entry| entry.array == name);
        let decisions = self.decisions.iter();
        let decisions = decisions.filter(|decision| decision.array == name);
        ArrayUse {
            name: name.to_owned(),
            wakes: wakes.cloned().collect(),
            decisions: decisions.cloned().collect(),
            touches,
            users,
        }
    }
}

/// What is known of it by now.
fn merge(known: &mut Process, process: &Process) {
    let files: Vec<PathBuf> = std::mem::take(&mut known.files);
    *known = process.clone();
    for file in files {
        known.add_file(file);
    }
}
