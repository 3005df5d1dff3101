// SPDX-License-Identifier: GPL-2.0
//! `paradm daemon`: has arrays follow their schedules, ends pins, keeps a history, serves metrics, stops disks that
//! the module cannot stop, and tells of events.
//!
//! It reads sysfs and waits; it sends nothing to a disk but what [`standby`] says. What it has to lose when it is
//! killed are the events of the last minutes.

mod config;
mod follow;
mod limited;
mod loads;
mod served;
mod spares;
mod standby;
mod states;
mod tell;

pub use config::{Config, FILE, Kind, Tool};

use crate::array;
use crate::error::{Error, Result};
use crate::history::{ArrayKey, Event, History};
use crate::metrics::{self, Metrics};
use crate::pin;
use crate::system::{Caller, Events, Happening, System};
use follow::Following;
use served::Served;
use spares::Spares;
use states::States;
use std::collections::{BTreeMap, VecDeque};
use std::path::{Path, PathBuf};
use std::time::Duration;
use tell::Mails;

const LOCK: &str = "/run/paradm/daemon.lock";
/// How often it looks at what comes about by time: pins that end, hours that begin.
const MINUTE: Duration = Duration::from_secs(60);
/// Events are written together: a disk that the history is on need not turn for each.
const SAVE: Duration = Duration::from_secs(300);
/// Or as soon as there are so many.
const MANY: usize = 1000;
/// If they cannot be written, the oldest ones beyond so many are forgotten.
const MOST: usize = 20_000;
/// A failure that has not come again for so long is over.
const SAME_FAILURE: Duration = Duration::from_secs(3600);
/// An hour's load is known a minute after it has ended, at the latest.
const HOUR_IS_KNOWN: i64 = 120;

pub struct Daemon<'a> {
    system: &'a dyn System,
    log: &'a mut dyn FnMut(&str),
    config_file: Option<PathBuf>,
    config: Config,
    history: History,
    unsaved: Vec<(ArrayKey, Event)>,
    following: Vec<Following>,
    mails: Mails,
    served: Served,
    spares: Spares,
    states: States,
    /// When the service manager heard last that this process is alive.
    alive: Option<Duration>,
    /// Members that have gone to sleep, and whose disks are to be stopped.
    to_stop: VecDeque<Event>,
    /// When, by the clock that only goes on.
    minute: Duration,
    saved: Duration,
    /// The hour, since 1970, up to which hours are in the history.
    hours_saved: i64,
    /// What has failed, and when last, so that it is not told each minute.
    failed: BTreeMap<String, Duration>,
}

/// Run until it is told to end. `log` gets lines for the administrator.
pub fn run(
    system: &dyn System,
    config_file: Option<&Path>,
    log: &mut dyn FnMut(&str),
) -> Result<()> {
    let config = Config::read(system, config_file)?;
    let lock = system.try_lock(Path::new(LOCK));
    let lock = lock.map_err(|error| Error::write(Path::new(LOCK), "a lock", &error))?;
    if lock.is_none() {
        return Err(Error::Refused {
            what: "paradm daemon".to_owned(),
            reason: format!("another one runs, and holds {LOCK}"),
        });
    }
    let mut daemon = Daemon {
        history: History::open(system)?,
        system,
        log,
        config_file: config_file.map(Path::to_owned),
        config,
        unsaved: Vec::new(),
        following: Vec::new(),
        mails: Mails::default(),
        served: Served::default(),
        spares: Spares::default(),
        states: States::default(),
        alive: None,
        to_stop: VecDeque::new(),
        minute: Duration::ZERO,
        saved: system.monotonic(),
        hours_saved: 0,
        failed: BTreeMap::new(),
    };
    let mut events = daemon.listen()?;
    daemon.stop_disks();
    daemon.notify("READY=1\nSTATUS=Watching par arrays");
    daemon.go_on(&mut events)?;
    daemon.notify("STOPPING=1");
    daemon.end()
}

impl Daemon<'_> {
    fn listen(&self) -> Result<Box<dyn Events>> {
        let port = self.config.listen;
        self.system.events(port).map_err(|error| Error::Refused {
            what: match port {
                Some(port) => format!("listening on {port}"),
                None => "listening to the kernel's events".to_owned(),
            },
            reason: error.to_string(),
        })
    }

    fn go_on(&mut self, events: &mut Box<dyn Events>) -> Result<()> {
        loop {
            let most = self.look();
            let happening = events
                .next(most)
                .map_err(|error| Error::NotDone(format!("waiting for events: {error}")))?;
            match happening {
                Some(Happening::Stop) => return Ok(()),
                Some(Happening::Reload) => self.reload(events),
                Some(Happening::Call(mut caller)) => self.answer(caller.as_mut()),
                Some(Happening::Uevent(uevent)) => {
                    self.served.see(&uevent);
                    if uevent.action == "remove" || uevent.path.contains("/block/md") {
                        self.look_at_states();
                    }
                    let event = Event::of(&uevent, self.system.now().as_second());
                    if let Some(event) = event.filter(|event| !event.is_a_state()) {
                        self.see(event);
                    }
                }
                None => {}
            }
        }
    }

    /// What is to be done now; returns for how long there is nothing more.
    fn look(&mut self) -> Duration {
        let now = self.system.monotonic();
        if now >= self.minute {
            self.minute = now + MINUTE;
            self.each_minute();
        }
        if self.unsaved.len() >= MANY || now >= self.saved + SAVE {
            self.save();
        }
        let mails = self.mails.send(self.system, &self.config, now);
        self.report(mails);
        self.stop_a_disk();
        let mut next = self.minute.min(self.saved + SAVE);
        for at in 0..self.following.len() {
            let Some(following) = self.following.get_mut(at) else {
                continue;
            };
            let looked = following.look(self.system, now);
            next = next.min(following.next_look());
            self.report(looked);
        }
        if let Some(mail) = self.mails.due() {
            next = next.min(mail);
        }
        if let Some(most) = self.system.watchdog() {
            next = next.min(self.be_alive(now, most / 4));
        }
        if !self.to_stop.is_empty() {
            next = now;
        }
        next.saturating_sub(now)
    }

    /// Tell the service manager, not more often than it needs: callers and events are not what it waits for. Returns
    /// when it is to be told again.
    fn be_alive(&mut self, now: Duration, every: Duration) -> Duration {
        match self.alive.map(|last| last + every).filter(|due| now < *due) {
            Some(due) => due,
            None => {
                self.notify("WATCHDOG=1");
                self.alive = Some(now);
                now + every
            }
        }
    }

    fn each_minute(&mut self) {
        let system = self.system;
        match pin::end_expired(system, system.now().as_second()) {
            Ok(ended) => {
                for one in ended {
                    (self.log)(&format!("{}: the pin has ended", one.array));
                }
            }
            Err(error) => self.report(Err(error)),
        }
        self.look_at_states();
        match self.spares.look(system) {
            Ok(lines) => lines.iter().for_each(|line| (self.log)(line)),
            Err(error) => self.report(Err(error)),
        }
        let mut failures = Vec::new();
        let failed = &mut |error| failures.push(Err(error));
        let updated = Following::update_all(system, &mut self.following, failed);
        for failure in failures.into_iter().chain([updated]) {
            self.report(failure);
        }
        if let Some(path) = self.config.textfile.clone() {
            let saved = Metrics::read(system).and_then(|metrics| metrics.save(system, &path));
            self.report(saved.map(|_| ()));
        }
    }

    fn look_at_states(&mut self) {
        match self.states.look(self.system) {
            Ok(events) => {
                for event in events {
                    (self.log)(&event.line());
                    self.see(event);
                }
            }
            Err(error) => self.report(Err(error)),
        }
    }

    /// A failure is told once for as long as it comes again, whatever else fails meanwhile.
    fn report(&mut self, result: Result<()>) {
        let Err(error) = result else { return };
        if error.is_absent() {
            // An array was stopped meanwhile.
            return;
        }
        let text = error.to_string();
        let now = self.system.monotonic();
        self.failed.retain(|_, last| now < *last + SAME_FAILURE);
        if self.failed.insert(text.clone(), now).is_none() {
            (self.log)(&text);
        }
    }

    fn see(&mut self, event: Event) {
        let told = tell::hook(self.system, &self.config, &event);
        self.report(told);
        let now = self.system.monotonic();
        self.mails.add(&self.config, &event, now);
        if event.kind == Kind::Sleep.name() && event.what.as_deref() == Some("logical") {
            self.to_stop.push_back(event.clone());
        }
        let key = ArrayKey::of(self.system, &event.array);
        self.unsaved.push((key, event));
    }

    /// Of members that sleep already.
    fn stop_disks(&mut self) {
        match standby::missed(self.system, &self.config) {
            Ok(missed) => self.to_stop.extend(missed),
            Err(error) => self.report(Err(error)),
        }
    }

    /// One at a time: each may take long, and signals, callers and the watchdog are not to wait for all.
    fn stop_a_disk(&mut self) {
        let Some(event) = self.to_stop.pop_front() else {
            return;
        };
        match standby::stop(self.system, &self.config, &event) {
            Ok(Some(text)) => (self.log)(&text),
            Ok(None) => {}
            Err(error) => self.report(Err(error)),
        }
    }

    fn save(&mut self) {
        self.saved = self.system.monotonic();
        let saved = self.try_save();
        let beyond = self.unsaved.len().saturating_sub(MOST);
        self.unsaved.drain(..beyond);
        self.report(saved);
    }

    /// If nothing is new, nothing is written.
    fn try_save(&mut self) -> Result<()> {
        let now = self.system.now().as_second();
        let hour = (now - HOUR_IS_KNOWN).div_euclid(3600);
        let mut hours = Vec::new();
        if hour != self.hours_saved {
            for name in array::names(self.system)? {
                let key = ArrayKey::of(self.system, &name);
                match array::load_history(self.system, &name) {
                    Ok(history) => hours.push((key, history)),
                    // Events and the hours of the others are kept all the same.
                    Err(error) => self.report(Err(error)),
                }
            }
        }
        if hours.is_empty() && self.unsaved.is_empty() {
            return Ok(());
        }
        self.history.add(&hours, &self.unsaved)?;
        self.unsaved.clear();
        if hour != self.hours_saved {
            self.history.shrink(now, self.config.history_days)?;
            self.hours_saved = hour;
        }
        Ok(())
    }

    fn answer(&mut self, caller: &mut dyn Caller) {
        // A caller that fails is its own business.
        let Ok(head) = caller.head() else { return };
        let metrics = || self.served.text(self.system);
        let _ = caller.answer(&metrics::answer(&head, metrics));
    }

    /// Everything is as the file says now, or as it was.
    fn reload(&mut self, events: &mut Box<dyn Events>) {
        self.notify("RELOADING=1");
        let old = self.config.clone();
        let reloaded = Config::read(self.system, self.config_file.as_deref()).and_then(|config| {
            self.config = config;
            if self.config.listen != old.listen {
                *events = self.listen()?;
            }
            Ok(())
        });
        match reloaded {
            Ok(()) => {
                (self.log)("the configuration was read again");
                self.stop_disks();
            }
            Err(error) => {
                self.config = old;
                (self.log)(&format!("the configuration stays as it was: {error}"));
            }
        }
        self.notify("READY=1");
    }

    /// Nobody follows the schedule any more: limits are the user's own. Each of this is tried, whatever has failed
    /// before; the first failure is told at the end.
    fn end(mut self) -> Result<()> {
        let system = self.system;
        let mut results = follow::end_all(system);
        // An array may have been stopped just now.
        results.retain(|result| !matches!(result, Err(error) if error.is_absent()));
        results.push(self.try_save());
        results.push(self.mails.send_all(system, &self.config));
        let mut failures = results.into_iter().filter(Result::is_err);
        let first = failures.next().unwrap_or(Ok(()));
        for other in failures {
            self.report(other);
        }
        first
    }

    fn notify(&mut self, state: &str) {
        if let Err(error) = self.system.notify(state) {
            self.report(Err(Error::NotDone(format!(
                "telling the service manager: {error}"
            ))));
        }
    }
}
