// SPDX-License-Identifier: GPL-2.0
//! Watching as it goes on.

use super::line::{Event, Line, Parsed};
use super::log::{self, Entry, What};
use super::process::{Places, Process, process_of_cause};
use super::tally::{Decision, Moment, Tally, Watched};
use super::tracing::{Tracing, Wanted};
use crate::array::{self, Array, par_file};
use crate::error::{Error, Result};
use crate::mount;
use crate::system::{System, Uevent, Uevents};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::atomic::Ordering;
use std::time::Duration;

/// How often traces are read.
const TICK: Duration = Duration::from_millis(200);
/// How often touches go to the log, so that a busy program does not fill it.
const LOG_EVERY: Duration = Duration::from_secs(3600);
/// How long what is known of a process holds: it opens and closes files.
const KNOWN: Duration = Duration::from_secs(2);
/// So many processes are remembered at a time.
const PROCESSES: usize = 4096;

pub struct Watching<'a> {
    /// `None`: all arrays.
    pub array: Option<&'a str>,
    /// `None`: until it is told to stop.
    pub most: Option<Duration>,
    /// Tell each event and count users.
    pub live: bool,
    /// Add to the log.
    pub log: bool,
}

/// Something that is told as it happens.
#[derive(Debug)]
pub enum Happening {
    /// A wake, or the first time that a process touches a sleeper.
    Entry(Entry),
    Decision(Decision),
}

type Tell<'a> = &'a mut dyn FnMut(&Happening) -> Result<()>;

/// Until it is over, or SIGINT or SIGTERM ask for it.
pub fn watch(system: &dyn System, options: &Watching, tell: Tell) -> Result<Watched> {
    let stop = system
        .stop_asked()
        .map_err(|error| refused("handling signals", &error))?;
    let mut uevents = system
        .uevents()
        .map_err(|error| refused("listening to the kernel's events", &error))?;
    let begin = system.monotonic();
    let mut watch = Watch::open(system, options, tell)?;
    loop {
        let gone = system.monotonic().saturating_sub(begin);
        let left = options.most.map_or(TICK, |most| most.saturating_sub(gone));
        if left.is_zero() || stop.load(Ordering::Relaxed) {
            break;
        }
        watch.tick(uevents.as_mut(), left.min(TICK))?;
    }
    watch.write_touches()?;
    Ok(watch.result(system.monotonic().saturating_sub(begin)))
}

fn refused(what: &str, error: &std::io::Error) -> Error {
    Error::Refused {
        what: what.to_owned(),
        reason: error.to_string(),
    }
}

/// Add an event of the module's to the log, if it is a wake: for who listens anyway, as the daemon
/// does. True: it was one.
pub fn record_event(system: &dyn System, event: &Uevent) -> Result<bool> {
    if event.value("PAR_EVENT") != Some("wake") {
        return Ok(false);
    }
    let arrays = array::all(system)?;
    let targets: Vec<_> = arrays
        .iter()
        .map(|array| Target::read(system, array))
        .collect();
    let Some(entry) = entry_of_event(system, &places(system, &targets)?, event) else {
        return Ok(false);
    };
    log::record(system, &[entry])?;
    Ok(true)
}

/// The wake that the module tells of, with the process that it names. `None`: it is of something else.
fn entry_of_event(system: &dyn System, places: &Places, event: &Uevent) -> Option<Entry> {
    if event.value("PAR_EVENT")? != "wake" {
        return None;
    }
    let cause = event.value("PAR_CAUSE").unwrap_or("unknown");
    let process = process_of_cause(cause).map(|(comm, pid)| places.process(system, pid, comm));
    Some(Entry {
        time: system.now().as_second(),
        array: event.par_array()?.to_owned(),
        member: event.value("PAR_MEMBER")?.parse().ok()?,
        device: event.value("PAR_DEVICE").unwrap_or_default().to_owned(),
        what: What::Wake {
            cause: cause.to_owned(),
            process,
            load: Vec::new(),
        },
    })
}

/// A disk that the lowest gear leaves out.
struct Sleeper {
    member: u32,
    device: String,
    /// MAJOR:MINOR of its partition and of its disk.
    numbers: Vec<String>,
}

struct Target {
    name: String,
    /// Of the devices on it, those that are used.
    uppermost: Vec<String>,
    /// All that lie on it.
    devices: Vec<String>,
    sleepers: Vec<Sleeper>,
}

impl Target {
    fn read(system: &dyn System, array: &Array) -> Self {
        let sleepers = array.sleepers().filter_map(|member| {
            let device = member.device.as_ref()?;
            let mut numbers: Vec<_> = [&device.name, &device.disk]
                .into_iter()
                .filter_map(|name| mount::device_number(system, Path::new(name)))
                .collect();
            numbers.dedup();
            Some(Sleeper {
                member: member.number,
                device: device.name.clone(),
                numbers,
            })
        });
        Target {
            name: array.name.clone(),
            uppermost: mount::uppermost_on(system, &array.name),
            devices: mount::devices_on(system, &array.name),
            sleepers: sleepers.collect(),
        }
    }

    /// Is the sleeper left out by the gear, so that the array sends it nothing?
    fn is_left_out(&self, system: &dyn System, member: u32) -> bool {
        let file = par_file(&self.name, &format!("member{member}/asleep"));
        system.read(&file).is_ok_and(|text| text.trim() == "1")
    }

    /// A thread of the kernel may work for the array, which wakes the sleeper, or for a process that
    /// has written to its device.
    fn is_own(&self, system: &dyn System, comm: &str, member: u32) -> bool {
        if comm.starts_with(&format!("{}_", self.name)) {
            return true;
        }
        let word = |file: &str| system.read(&par_file(&self.name, file)).unwrap_or_default();
        comm.starts_with("kworker/")
            && (word("shift_state").trim() != "idle"
                || !word(&format!("member{member}/last_wake_cause")).starts_with("process "))
    }
}

struct Watch<'a> {
    system: &'a dyn System,
    options: &'a Watching<'a>,
    tell: Tell<'a>,
    targets: Vec<Target>,
    places: Places,
    tracing: Option<Tracing<'a>>,
    tally: Tally,
    lost: u64,
    /// By thread and name, and when that was looked up.
    processes: BTreeMap<(u32, String), (Duration, Process)>,
    /// By process and inode, alike.
    files: BTreeMap<(u32, u64), (Duration, Option<PathBuf>)>,
    /// What was told last of each array's policy.
    told: BTreeMap<String, (u32, String)>,
    log_at: Duration,
}

impl<'a> Watch<'a> {
    fn open(system: &'a dyn System, options: &'a Watching, tell: Tell<'a>) -> Result<Self> {
        let mut watch = Watch {
            system,
            options,
            tell,
            targets: Vec::new(),
            places: Places::default(),
            tracing: None,
            tally: Tally::new(!options.live),
            lost: 0,
            processes: BTreeMap::new(),
            files: BTreeMap::new(),
            told: BTreeMap::new(),
            log_at: system.monotonic() + LOG_EVERY,
        };
        watch.look()?;
        Ok(watch)
    }

    /// Which arrays there are; and trace their devices.
    fn look(&mut self) -> Result<()> {
        let arrays = array::some(self.system, self.options.array)?;
        if arrays.is_empty() {
            return Err(Error::NotFound("no par array runs here".to_owned()));
        }
        let read = |array| Target::read(self.system, array);
        self.targets = arrays.iter().map(read).collect();
        self.places = places(self.system, &self.targets)?;
        // The old instance goes before its successor, which has its name.
        self.tracing = None;
        self.tracing = Tracing::open(self.system, &wanted(&self.targets))?;
        Ok(())
    }

    fn tick(&mut self, uevents: &mut dyn Uevents, most: Duration) -> Result<()> {
        let before = self.left_out();
        let next = |uevents: &mut dyn Uevents, most| {
            uevents
                .next(most)
                .map_err(|error| refused("listening to the kernel's events", &error))
        };
        let mut event = next(uevents, most)?;
        let lines = match &mut self.tracing {
            Some(tracing) => tracing.lines()?,
            None => Vec::new(),
        };
        let after = self.left_out();
        for parsed in lines {
            match parsed {
                Parsed::Lost(events) => self.lost += events,
                Parsed::Line(line) => self.line(&line, &before, &after)?,
            }
        }
        while let Some(found) = event {
            self.uevent(&found)?;
            event = next(uevents, Duration::ZERO)?;
        }
        let now = self.system.monotonic();
        self.tally.forget(now);
        if self.log_at <= now {
            self.write_touches()?;
            self.log_at = now + LOG_EVERY;
        }
        Ok(())
    }

    /// Of each array the sleepers that get no request from it.
    fn left_out(&self) -> Vec<(String, u32)> {
        let sleepers = self.targets.iter().flat_map(|target| {
            let out = |sleeper: &&Sleeper| target.is_left_out(self.system, sleeper.member);
            let found = target.sleepers.iter().filter(out);
            found.map(|sleeper| (target.name.clone(), sleeper.member))
        });
        sleepers.collect()
    }

    fn line(
        &mut self,
        line: &Line,
        before: &[(String, u32)],
        after: &[(String, u32)],
    ) -> Result<()> {
        let (device, inode) = match &line.event {
            Event::Decision { .. } => return self.decision(&line.event),
            Event::Request { device, .. } | Event::Command { device } => (device, None),
            Event::Changed { device, inode } => (device, Some(*inode)),
        };
        let mut process = self.process(line.thread, &line.comm);
        if process.pid == self.system.pid() {
            return Ok(());
        }
        if let Some(file) = inode.and_then(|inode| self.file(&line.comm, &process, inode)) {
            process.add_file(file);
        }
        let now = Moment {
            monotonic: self.system.monotonic(),
            time: self.system.now().as_second(),
        };
        let mut touched = None;
        for target in &self.targets {
            let devices = match inode {
                None => &target.uppermost,
                Some(_) => &target.devices,
            };
            if devices.contains(device) {
                self.tally
                    .count(&target.name, None, &process, &line.event, now);
            }
            let sleeper = target
                .sleepers
                .iter()
                .find(|sleeper| sleeper.numbers.contains(device));
            let Some(sleeper) = sleeper.filter(|_| inode.is_none()) else {
                continue;
            };
            let id = (target.name.clone(), sleeper.member);
            if !before.contains(&id)
                || !after.contains(&id)
                || target.is_own(self.system, &line.comm, sleeper.member)
            {
                continue;
            }
            let member = Some((sleeper.member, sleeper.device.as_str()));
            if self
                .tally
                .count(&target.name, member, &process, &line.event, now)
            {
                touched = Some((id, sleeper.device.clone()));
            }
        }
        let Some(((array, member), device)) = touched else {
            return Ok(());
        };
        let entry = Entry {
            time: self.system.now().as_second(),
            array,
            member,
            device,
            what: What::Touch {
                process,
                requests: 1,
            },
        };
        self.say(Happening::Entry(entry))
    }

    fn say(&mut self, happening: Happening) -> Result<()> {
        if self.options.live {
            (self.tell)(&happening)?;
        }
        Ok(())
    }

    fn process(&mut self, thread: u32, comm: &str) -> Process {
        let now = self.system.monotonic();
        let key = (thread, comm.to_owned());
        let known = self.processes.get(&key);
        let fresh = known.filter(|(at, _)| now.saturating_sub(*at) < KNOWN);
        if let Some((_, process)) = fresh {
            return process.clone();
        }
        if self.processes.len() >= PROCESSES {
            self.processes.clear();
        }
        let process = self.places.process(self.system, thread, comm);
        // One that has ended meanwhile stays as it was.
        let known = self.processes.remove(&key);
        let process = match known {
            Some((_, known)) if process.exe.is_none() && known.exe.is_some() => known,
            _ => process,
        };
        self.processes.insert(key, (now, process.clone()));
        process
    }

    /// To look for it takes some reads for each file that the process has open: not for each event.
    fn file(&mut self, comm: &str, process: &Process, inode: u64) -> Option<PathBuf> {
        // Threads of the kernel have none open.
        if comm.starts_with("kworker/") {
            return None;
        }
        let (now, key) = (self.system.monotonic(), (process.pid, inode));
        let known = self.files.get(&key);
        if let Some((_, file)) = known.filter(|(at, _)| now.saturating_sub(*at) < KNOWN) {
            return file.clone();
        }
        if self.files.len() >= PROCESSES {
            self.files.clear();
        }
        let file = self.places.file_of_inode(self.system, process.pid, inode);
        self.files.insert(key, (now, file.clone()));
        file
    }

    fn decision(&mut self, event: &Event) -> Result<()> {
        let Event::Decision {
            array,
            gear,
            decided,
            reason,
            busy,
        } = event
        else {
            return Ok(());
        };
        if !self.targets.iter().any(|target| target.name == *array) {
            return Ok(());
        }
        if gear == decided {
            self.told.remove(array);
            return Ok(());
        }
        let what = (*decided, reason.clone());
        if self.told.get(array) == Some(&what) {
            return Ok(());
        }
        self.told.insert(array.clone(), what);
        let decision = Decision {
            time: self.system.now().as_second(),
            array: array.clone(),
            gear: *gear,
            decided: *decided,
            reason: reason.clone(),
            busy_percent: f64::from(*busy) / 100.0,
            load: self.tally.loads(array),
        };
        self.tally.add_decision(&decision);
        self.say(Happening::Decision(decision))
    }

    fn uevent(&mut self, event: &Uevent) -> Result<()> {
        let Some(array) = event.par_array() else {
            return Ok(());
        };
        if !self.targets.iter().any(|target| target.name == array) {
            if self.options.array.is_some() {
                return Ok(());
            }
            // It has been started meanwhile.
            self.look()?;
        }
        let Some(mut entry) = entry_of_event(self.system, &self.places, event) else {
            return Ok(());
        };
        if let What::Wake { cause, load, .. } = &mut entry.what {
            if matches!(cause.as_str(), "policy" | "request" | "miss") {
                *load = self.tally.loads(array);
            }
        }
        self.tally.add_wake(&entry);
        if self.options.log {
            log::record(self.system, std::slice::from_ref(&entry))?;
        }
        self.say(Happening::Entry(entry))
    }

    fn write_touches(&mut self) -> Result<()> {
        if !self.options.log {
            return Ok(());
        }
        log::record(self.system, &self.tally.new_touches())
    }

    fn result(self, length: Duration) -> Watched {
        let names: Vec<_> = self
            .targets
            .iter()
            .map(|target| target.name.clone())
            .collect();
        Watched {
            seconds: length.as_secs(),
            sources: self
                .tracing
                .as_ref()
                .map(|tracing| tracing.events.clone())
                .unwrap_or_default(),
            lost: self.lost,
            arrays: self.tally.arrays(&names),
        }
    }
}

/// Where files of an array are.
pub fn places_of(system: &dyn System, array: &Array) -> Result<Places> {
    places(system, &[Target::read(system, array)])
}

fn places(system: &dyn System, targets: &[Target]) -> Result<Places> {
    let numbers: Vec<_> = targets
        .iter()
        .flat_map(|target| target.devices.clone())
        .collect();
    let devices: Vec<_> = targets
        .iter()
        .flat_map(|target| {
            let sleepers = target.sleepers.iter().map(|sleeper| sleeper.device.clone());
            sleepers.chain([target.name.clone()])
        })
        .collect();
    Places::read(system, &numbers, &devices)
}

/// What the kernel is to tell: only of these devices.
fn wanted(targets: &[Target]) -> Vec<Wanted> {
    let sleepers: Vec<_> = targets
        .iter()
        .flat_map(|target| &target.sleepers)
        .flat_map(|sleeper| sleeper.numbers.clone())
        .collect();
    let uppermost = targets.iter().flat_map(|target| target.uppermost.clone());
    let all: Vec<_> = uppermost.chain(sleepers.iter().cloned()).collect();
    let files = targets.iter().flat_map(|target| &target.devices);
    let files: Vec<_> = files
        .map(|number| format!("name == \"{number}\""))
        .collect();
    let of = |numbers: &[String]| {
        let terms: Vec<_> = numbers
            .iter()
            .filter_map(|number| device_term(number))
            .collect();
        terms.join(" || ")
    };
    let commands = Some(of(&sleepers)).filter(|filter| !filter.is_empty());
    let commands = commands.map(|filter| format!("rwbs ~ \"N*\" && ({filter})"));
    let mut wanted: Vec<Wanted> = vec![
        ("block/block_bio_queue", of(&all)),
        ("block/block_rq_issue", commands.unwrap_or_default()),
        ("writeback/writeback_mark_inode_dirty", files.join(" || ")),
    ];
    wanted.retain(|(_, filter)| !filter.is_empty());
    // Once an interval of each array: not worth a filter. "0" is none.
    wanted.push(("raid_par/par_decision", "0".to_owned()));
    wanted
}

/// As the kernel compares its `dev_t`.
fn device_term(number: &str) -> Option<String> {
    let (major, minor) = number.split_once(':')?;
    let (major, minor): (u64, u64) = (major.parse().ok()?, minor.parse().ok()?);
    Some(format!("dev == {}", major << 20 | minor))
}
