// SPDX-License-Identifier: GPL-2.0
//! `paradm shift`: ask for a gear, and wait until the array is there or has given up.

use crate::array::{self, Array, Dir, Moved, Shift, ShiftState};
use crate::error::{Error, Result};
use crate::output::{Style, Text, units};
use crate::system::{Files, System};
use serde::Serialize;
use std::path::Path;
use std::str::FromStr;
use std::time::Duration;

/// What the user asks for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Target {
    Gear(u32),
    /// The next one from where the array is, or is going to.
    Up,
    Down,
    Top,
    Lowest,
}

impl FromStr for Target {
    type Err = String;

    fn from_str(word: &str) -> std::result::Result<Self, String> {
        match word {
            "up" => Ok(Target::Up),
            "down" => Ok(Target::Down),
            "top" => Ok(Target::Top),
            "lowest" => Ok(Target::Lowest),
            _ => word
                .parse()
                .map(Target::Gear)
                .map_err(|_| "a gear is a number of members, or up, down, top, lowest".to_owned()),
        }
    }
}

impl Target {
    fn of(self, array: &Array) -> Result<u32> {
        let from = array.shift.target;
        let mut gears = array.gears.iter().copied();
        let found = match self {
            Target::Gear(gear) => gears.find(|known| *known == gear),
            Target::Up => gears.find(|known| *known > from).or(Some(from)),
            Target::Down => gears.rev().find(|known| *known < from).or(Some(from)),
            Target::Top => Some(array.top_gear()),
            Target::Lowest => Some(array.lowest_gear()),
        };
        found.ok_or_else(|| {
            let there: Vec<_> = array.gears.iter().map(u32::to_string).collect();
            Error::Usage(format!(
                "{} has no such gear; it has {}",
                array.name,
                there.join(", ")
            ))
        })
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Waiting {
    None,
    UntilDone,
    AtMost(Duration),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Outcome {
    /// The array is in that gear already, and stays.
    Nothing,
    /// Asked for, and not waited for.
    Asked,
    Done,
}

#[derive(Debug, PartialEq, Eq, Serialize)]
pub struct Shifted {
    pub name: String,
    pub from: u32,
    pub to: u32,
    pub outcome: Outcome,
    /// What the shift took, by the array's own account; null if it was not waited for.
    pub milliseconds: Option<u64>,
}

/// How long to wait for news before looking anyway.
const LOOK: Duration = Duration::from_secs(1);

/// `progress` gets a line now and then.
pub fn shift(
    system: &dyn System,
    given: Option<&str>,
    target: Target,
    waiting: Waiting,
    progress: &mut dyn FnMut(String) -> Result<()>,
) -> Result<Shifted> {
    let name = array::named(system, given)?;
    let array = Array::read(system, &name)?;
    let to = target.of(&array)?;
    let mut shifted = Shifted {
        name,
        from: array.gear,
        to,
        outcome: Outcome::Nothing,
        milliseconds: None,
    };
    if array.gear == to && array.shift.target == to {
        return Ok(shifted);
    }
    ask(system, &array, to)?;
    shifted.outcome = Outcome::Asked;
    let most = match waiting {
        Waiting::None => return Ok(shifted),
        Waiting::UntilDone => None,
        Waiting::AtMost(time) => Some(time),
    };
    let end = wait(system, &shifted, most, progress).map_err(|error| {
        if error.is_absent() {
            Error::NotDone(format!(
                "{} was stopped before it reached gear {to}",
                shifted.name
            ))
        } else {
            error
        }
    })?;
    shifted.outcome = Outcome::Done;
    shifted.milliseconds = Some(end.last_ms);
    Ok(shifted)
}

fn ask(system: &dyn System, array: &Array, to: u32) -> Result<()> {
    let result = system.put(&array::par_file(&array.name, "gear"), &to.to_string());
    result.map_err(|error| match error {
        Error::Refused { reason, .. } => Error::Refused {
            what: format!("{} cannot shift to gear {to}", array.name),
            reason: hindrance(array, to).unwrap_or(reason),
        },
        other => other,
    })
}

/// Why the module refuses, as far as its files tell.
fn hindrance(array: &Array, to: u32) -> Option<String> {
    if array.is_read_only() {
        return Some("it is read-only; `mdadm --readwrite` makes it writable".to_owned());
    }
    if array.degraded > 0 && to < array.top_gear() {
        return Some(format!(
            "{} of its members are missing or not rebuilt, and it stays in its top gear until they are",
            array.degraded
        ));
    }
    if array.scrub.action != "idle" && to < array.gear {
        return Some(format!(
            "a {} is running; shift down when it has ended, or end it by writing idle to md/sync_action",
            array.scrub.work()
        ));
    }
    None
}

/// Until the array is in the gear that was asked for, or will not come there.
fn wait(
    system: &dyn System,
    shifted: &Shifted,
    most: Option<Duration>,
    progress: &mut dyn FnMut(String) -> Result<()>,
) -> Result<Shift> {
    let par = Dir::new(system, Path::new("/sys/block").join(&shifted.name)).sub("md/par");
    let state_file = par.path("shift_state");
    let end = most.map(|time| system.monotonic() + time);
    loop {
        let gear: u32 = par.number("gear")?;
        let shift = Shift::read(&par)?;
        if gear == shifted.to {
            return Ok(shift);
        }
        if shift.put_off.is_some() || shift.target != shifted.to {
            return Err(not_done(shifted, gear, &shift));
        }
        let now = system.monotonic();
        if end.is_some_and(|end| now >= end) {
            return Err(Error::NotDone(format!(
                "{} is still in gear {gear}: {}; the shift continues",
                shifted.name,
                step(&shift)
            )));
        }
        progress(format!("{}: {}", shifted.name, step(&shift)))?;
        let left = end.map_or(LOOK, |end| LOOK.min(end - now));
        system
            .wait(&[&state_file], left)
            .map_err(|error| Error::read(&state_file, error))?;
    }
}

fn not_done(shifted: &Shifted, gear: u32, shift: &Shift) -> Error {
    let Shifted { name, to, .. } = shifted;
    if shift.put_off.is_some() {
        return Error::NotDone(format!(
            "{name} stays in gear {gear} for now: the shift to gear {to} waits for a member to have \
             spin-ups left, and is done by itself then"
        ));
    }
    let reason = match shift.last_error {
        error if error.is_done() => Moved::ABANDONED.reason(),
        error => error.reason(),
    };
    Error::NotDone(format!("{name} is in gear {gear}, not {to}: {reason}"))
}

/// Where a shift is.
fn step(shift: &Shift) -> String {
    let what = match shift.state {
        ShiftState::Up => format!("shifting up to gear {}", shift.target),
        ShiftState::Down => format!("shifting down to gear {}", shift.target),
        ShiftState::Idle | ShiftState::Propagate => format!("gear {} is wanted", shift.target),
    };
    match shift.progress {
        Some(progress) if progress.total > 0 && shift.state.is_shift() => format!(
            "{what}, {} % copied",
            u128::from(progress.done) * 100 / u128::from(progress.total)
        ),
        _ => what,
    }
}

impl Text for Shifted {
    fn text(&self, style: Style) -> String {
        let Shifted { name, from, to, .. } = self;
        let name = style.bold(name);
        match (self.outcome, self.milliseconds) {
            (Outcome::Nothing, _) => format!("{name} is in gear {to} already\n"),
            (Outcome::Done, Some(ms)) => format!(
                "{name} has shifted from gear {from} to gear {to} in {}\n",
                units::microseconds(ms.saturating_mul(1000))
            ),
            (Outcome::Done, None) => format!("{name} is in gear {to}\n"),
            (Outcome::Asked, _) => {
                format!("{name} shifts from gear {from} to gear {to} in the background\n")
            }
        }
    }
}
