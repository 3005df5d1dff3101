// SPDX-License-Identifier: GPL-2.0
//! A scrub in hours when all disks are awake anyway: begun when they are, paused when the array
//! would shift down but for the scrub, and resumed when they are awake again.
//!
//! That the array would shift down, the module's policy says by itself, in a uevent `decision` with
//! the reason `sync`: nothing is guessed.

use super::{Outcome, Scrubbed, Sleepers, Wanted, begin, may_start, md_file, resumes_at, scrubbed};
use crate::array;
use crate::array::{Array, PowerState};
use crate::error::{Error, Result};
use crate::system::{Files, System, Uevent, Uevents};
use std::path::Path;
use std::time::Duration;

/// How often to look whether the disks are awake, or the scrub is done: only files are read.
const LOOK: Duration = Duration::from_secs(60);
/// An array that has not shifted down so long after the pause does not mean to.
const PATIENCE: Duration = Duration::from_secs(600);

/// What the scrub does meanwhile.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum State {
    /// Not all disks are awake.
    Waiting,
    Running,
    /// So that the array can shift down; since.
    GivingWay(Duration),
}

/// A scrub that goes on while disks are awake. [`Self::step`] is to be called again and again.
pub struct Awake {
    name: String,
    wanted: Wanted,
    events: Box<dyn Uevents>,
    state: State,
}

impl Awake {
    pub fn new(system: &dyn System, given: Option<&str>, wanted: Wanted) -> Result<Self> {
        let name = array::named(system, given)?;
        let events = system
            .uevents()
            .map_err(|error| Error::read(Path::new("the kernel's uevents"), error))?;
        let array = Array::read(system, &name)?;
        may_start(&array, wanted)?;
        Ok(Awake {
            name,
            wanted: Wanted {
                sleepers: Sleepers::Leave,
                ..wanted
            },
            events,
            state: State::Waiting,
        })
    }

    /// Wait a moment, and do what is to be done then. True: the scrub is done. `progress` gets a
    /// line.
    pub fn step(
        &mut self,
        system: &dyn System,
        most: Duration,
        progress: &mut dyn FnMut(String) -> Result<()>,
    ) -> Result<bool> {
        let gives_way = self.would_shift_down(most)?;
        let array = Array::read(system, &self.name)?;
        match self.state {
            State::Running if array.scrub.action == self.wanted.kind.word() => {
                if gives_way {
                    system.put(&md_file(&self.name, "sync_action"), "idle")?;
                    self.state = State::GivingWay(system.monotonic());
                }
            }
            State::Running => return self.ended(system),
            State::GivingWay(_) if array.gear < array.top_gear() => self.state = State::Waiting,
            State::GivingWay(since) if system.monotonic() < since + PATIENCE => {}
            State::GivingWay(_) | State::Waiting => self.begin_if_awake(system, &array)?,
        }
        progress(self.line(&array))?;
        Ok(false)
    }

    /// Has the policy said so in the next moment?
    fn would_shift_down(&mut self, most: Duration) -> Result<bool> {
        let read = |error| Error::read(Path::new("the kernel's uevents"), error);
        let mut event = self.events.next(most.min(LOOK)).map_err(read)?;
        while let Some(said) = event {
            if is_held_up(&said, &self.name) {
                return Ok(true);
            }
            event = self.events.next(Duration::ZERO).map_err(read)?;
        }
        Ok(false)
    }

    fn begin_if_awake(&mut self, system: &dyn System, array: &Array) -> Result<()> {
        if all_awake(array) && array.scrub.action == "idle" {
            begin(system, array, self.wanted)?;
            // What was read is not read again after a pause.
            self.wanted.from_start = false;
            self.state = State::Running;
        }
        Ok(())
    }

    /// Nothing is at work any more: is it done, or has somebody ended it?
    fn ended(&self, system: &dyn System) -> Result<bool> {
        if resumes_at(system, &self.name)? == 0 {
            return Ok(true);
        }
        let (name, kind) = (&self.name, self.wanted.kind.word());
        Err(Error::NotDone(format!(
            "another program has ended the {kind} of {name}; the next one continues from there"
        )))
    }

    /// Until later.
    fn pause(&self, system: &dyn System) -> Result<()> {
        if self.state == State::Running {
            system.put(&md_file(&self.name, "sync_action"), "idle")?;
        }
        Ok(())
    }

    fn line(&self, array: &Array) -> String {
        let kind = self.wanted.kind.word();
        match (self.state, array.scrub.completed) {
            (State::Running, Some((done, all))) => format!(
                "{}: {kind}, {} %",
                self.name,
                u128::from(done) * 100 / u128::from(all.max(1))
            ),
            (State::Running, None) => format!("{}: {kind}", self.name),
            _ => format!("{}: the {kind} waits for all disks to be awake", self.name),
        }
    }
}

fn is_held_up(event: &Uevent, name: &str) -> bool {
    event.par_array() == Some(name)
        && event.value("PAR_EVENT") == Some("decision")
        && event.value("PAR_REASON") == Some("sync")
}

fn all_awake(array: &Array) -> bool {
    array.gear == array.top_gear()
        && array.shift.target == array.gear
        && array.degraded == 0
        && array
            .members
            .iter()
            .all(|member| member.power_state == PowerState::Active)
}

/// Scrub until it is done, or `until` (seconds since 1970), when it is paused.
pub fn when_awake(
    system: &dyn System,
    given: Option<&str>,
    wanted: Wanted,
    until: Option<i64>,
    progress: &mut dyn FnMut(String) -> Result<()>,
) -> Result<Scrubbed> {
    let mut awake = Awake::new(system, given, wanted)?;
    let mut look = Duration::ZERO;
    loop {
        let left = until.map(|until| until.saturating_sub(system.now().as_second()));
        let left = left.map(|left| Duration::from_secs(u64::try_from(left).unwrap_or(0)));
        let outcome = if left.is_some_and(|left| left.is_zero()) {
            awake.pause(system)?;
            Outcome::Paused
        } else if awake.step(system, left.map_or(look, |left| left.min(look)), progress)? {
            Outcome::Done
        } else {
            look = LOOK;
            continue;
        };
        let array = Array::read(system, &awake.name)?;
        return Ok(scrubbed(&array, wanted.kind, outcome));
    }
}
