// SPDX-License-Identifier: GPL-2.0
//! `paradm status --watch`: the arrays on the whole screen, kept current until the user has seen
//! enough. It reads what `paradm status` reads, and no more: nothing is woken.

mod load;
mod members;
mod screen;
mod shifts;
mod view;

use crate::array::{self, Array};
use crate::error::{Error, Result};
use crate::output::Style;
use crate::status::Status;
use crate::system::System;
use jiff::tz::TimeZone;
pub use screen::no_terminal;
use screen::{Input, Screen};
use shifts::Shifts;
use std::time::{Duration, Instant};

/// Looking takes at most this part of the time: one of 20.
const SHARE: u32 = 20;

pub struct Options<'a> {
    pub array: Option<&'a str>,
    /// How often to look.
    pub every: Duration,
    pub style: Style,
}

/// What is shown.
struct Watch {
    /// The one array that is shown; `None`: all that run.
    name: Option<String>,
    every: Duration,
    /// The administrator's clock.
    zone: TimeZone,
    arrays: Vec<Array>,
    /// When these were read: seconds since 1970.
    time: i64,
    /// The last look has failed for that.
    trouble: Option<String>,
    shifts: Shifts,
    /// The first row of the view that is on the screen.
    top: usize,
}

/// Until q is typed or the process is told to end. An error at the first look is returned before
/// the screen is touched.
pub fn watch(system: &dyn System, options: &Options) -> Result<()> {
    let mut watch = Watch::new(system, options)?;
    let mut screen = Screen::open()?;
    let mut next = Instant::now() + watch.every;
    loop {
        screen.draw(|frame| view::draw(&mut watch, options.style, frame))?;
        let input = screen.input(next.saturating_duration_since(Instant::now()))?;
        match input {
            Some(Input::End) => return Ok(()),
            Some(Input::Scroll(by)) => watch.top = by.from(watch.top),
            Some(Input::Resized) => {}
            Some(Input::Look) | None => {
                let began = Instant::now();
                watch.look(system)?;
                next = Instant::now() + watch.every.max(began.elapsed() * SHARE);
            }
        }
    }
}

impl Watch {
    fn new(system: &dyn System, options: &Options) -> Result<Self> {
        let name = match options.array {
            Some(_) => Some(array::named(system, options.array)?),
            None => None,
        };
        let status = Status::read(system, name.as_deref())?;
        let mut watch = Watch {
            name,
            every: options.every,
            zone: system.zone(),
            arrays: Vec::new(),
            time: status.time,
            trouble: None,
            shifts: Shifts::new(system, status.time),
            top: 0,
        };
        watch.show(status);
        Ok(watch)
    }

    /// What cannot be read is told, and looked for again.
    fn look(&mut self, system: &dyn System) -> Result<()> {
        match Status::read(system, self.name.as_deref()) {
            Ok(status) => self.show(status),
            Err(Error::NotFound(_)) => {
                let name = self.name.as_deref().unwrap_or("the array");
                self.trouble = Some(format!("{name} is stopped; it is shown again when it runs"));
                self.arrays.clear();
                self.time = system.now().as_second();
                self.shifts.see(&self.arrays, self.time);
            }
            Err(error @ Error::Output(_)) => return Err(error),
            Err(error) => self.trouble = Some(format!("{error}; below is what was there before")),
        }
        Ok(())
    }

    fn show(&mut self, status: Status) {
        let down = status.inactive.first();
        self.trouble = down.map(|one| format!("{}: {}", one.name, one.what()));
        self.shifts.see(&status.arrays, status.time);
        self.arrays = status.arrays;
        self.time = status.time;
    }
}
