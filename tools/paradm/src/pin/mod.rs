// SPDX-License-Identifier: GPL-2.0
//! `paradm pin`: an array stays in a gear, or between two, for a time.
//!
//! A pin is a file that says so ([`store`]) and the array's `min_gear` and `max_gear`. It is written
//! down before it holds, so that a crash in between leaves nothing that nobody ends.

mod end;
mod store;
mod text;
mod time;

pub use end::{Ended, EndedPins, Which, end, end_expired};
pub use store::{Limits, Pin, load};
pub use time::{Length, Since, Until};

use crate::array::{self, Array, PolicyMode};
use crate::error::{Error, Result};
use crate::policy;
use crate::schedule;
use crate::shift;
use crate::system::{Files, System};
use serde::Serialize;
use std::any::Any;
use std::path::Path;
use std::str::FromStr;

/// What the user names: a gear, or two with a hyphen between.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Gears {
    min: Bound,
    max: Bound,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Bound {
    Gear(u32),
    Top,
    Lowest,
}

impl FromStr for Gears {
    type Err = &'static str;

    fn from_str(text: &str) -> std::result::Result<Self, Self::Err> {
        let (min, max) = text.split_once('-').unwrap_or((text, text));
        Ok(Gears {
            min: Bound::parse(min)?,
            max: Bound::parse(max)?,
        })
    }
}

impl Bound {
    fn parse(word: &str) -> std::result::Result<Self, &'static str> {
        match word {
            "top" => Ok(Bound::Top),
            "lowest" => Ok(Bound::Lowest),
            _ => word
                .parse()
                .map(Bound::Gear)
                .map_err(|_| "gears are given as 5, top, lowest, or from one to another, 3-5"),
        }
    }

    fn of(self, array: &Array) -> u32 {
        match self {
            Bound::Gear(gear) => gear,
            Bound::Top => array.top_gear(),
            Bound::Lowest => array.lowest_gear(),
        }
    }
}

impl Gears {
    fn of(self, array: &Array) -> Result<(u32, u32)> {
        let (min, max) = (self.min.of(array), self.max.of(array));
        if min <= max && array.gears.contains(&min) && array.gears.contains(&max) {
            return Ok((min, max));
        }
        let there: Vec<_> = array.gears.iter().map(u32::to_string).collect();
        Err(Error::Usage(format!(
            "{} has the gears {}; a pin is one of them, or from a lower to a higher one",
            array.name,
            there.join(", ")
        )))
    }
}

/// How long a pin holds.
#[derive(Debug, Clone, Copy)]
pub enum Lasts {
    Until(Until),
    For(Length),
    UntilEnded,
}

impl Lasts {
    fn until(self, system: &dyn System) -> Result<Option<i64>> {
        let (now, zone) = (system.now(), system.zone());
        let end = match self {
            Lasts::Until(until) => until.timestamp(now, zone),
            Lasts::For(length) => length.timestamp(now, zone),
            Lasts::UntilEnded => return Ok(None),
        };
        end.map(|end| Some(end.as_second()))
            .ok_or_else(|| Error::Usage("that time is in the past".to_owned()))
    }
}

/// A pin as it is shown.
#[derive(Debug, Serialize)]
pub struct Pinned {
    #[serde(flatten)]
    pub pin: Pin,
    /// Does the array run, and are its limits the pin's?
    pub holds: bool,
    /// `until` on the administrator's clock.
    #[serde(skip)]
    clock: Option<String>,
}

#[derive(Debug, Serialize)]
pub struct Pins {
    pub pins: Vec<Pinned>,
}

impl Pins {
    pub fn read(system: &dyn System, given: Option<&str>) -> Result<Self> {
        let mut pins = load(system)?;
        if let Some(given) = given {
            let array = Array::read(system, &array::named(system, Some(given))?)?;
            let uuid = uuid(system, &array.name);
            pins.retain(|pin| is_of(pin, &array.name, uuid.as_deref()));
        }
        Ok(Pins {
            pins: pins.into_iter().map(|pin| shown(system, pin)).collect(),
        })
    }
}

fn shown(system: &dyn System, pin: Pin) -> Pinned {
    let limits = running(system, &pin).and_then(|name| limits(system, &name).ok());
    Pinned {
        holds: limits == Some(pin.limits()),
        clock: pin.until.and_then(|until| clock(system, until)),
        pin,
    }
}

/// `Tue 2026-11-24 18:00`
fn clock(system: &dyn System, seconds: i64) -> Option<String> {
    let time = jiff::Timestamp::from_second(seconds).ok()?;
    let shown = time
        .to_zoned_datetime(system.zone())
        .strftime("%a %F %H:%M");
    Some(shown.to_string())
}

/// Pin an array from now on. A pin that it has is replaced; what it has kept is restored when this
/// one ends.
pub fn pin(system: &dyn System, given: Option<&str>, gears: Gears, lasts: Lasts) -> Result<Pinned> {
    let name = array::named(system, given)?;
    let array = Array::read(system, &name)?;
    let (gear_min, gear_max) = gears.of(&array)?;
    let until = lasts.until(system)?;
    if array.is_read_only() {
        return Err(Error::Refused {
            what: format!("{name} cannot be pinned"),
            reason: "it is read-only; `mdadm --readwrite` makes it writable".to_owned(),
        });
    }
    let _lock = store::lock(system)?;
    let old = load(system)?;
    let uuid = uuid(system, &name);
    let pinned = old.iter().find(|pin| is_of(pin, &name, uuid.as_deref()));
    let before = match pinned {
        Some(pin) => pin.before,
        None => schedule::own_limits(system, &name, limits_of(&array))?,
    };
    let new = Pin {
        array: name,
        uuid,
        gear_min,
        gear_max,
        until,
        before,
    };
    let mut pins = old.clone();
    pins.retain(|pin| !is_of(pin, &new.array, new.uuid.as_deref()));
    pins.push(new.clone());
    store::save(system, &pins)?;
    if let Err(error) = hold(system, &array, &new) {
        store::save(system, &old)?;
        return Err(error);
    }
    Ok(shown(system, new))
}

/// At once: by the policy's limits, and by a shift if the array is shifted by hand.
fn hold(system: &dyn System, array: &Array, pin: &Pin) -> Result<()> {
    set_limits(system, &array.name, pin.limits())?;
    let gear = array.shift.target.clamp(pin.gear_min, pin.gear_max);
    if array.settings.policy == PolicyMode::Manual && gear != array.shift.target {
        let nothing = &mut |_| Ok(());
        let target = shift::Target::Gear(gear);
        shift::shift(
            system,
            Some(&array.name),
            target,
            shift::Waiting::None,
            nothing,
        )
        .inspect_err(|_| {
            // What was is not changed by a pin that does not hold; the shift's error is told.
            let _ = set_limits(system, &array.name, limits_of(array));
        })?;
    }
    Ok(())
}

pub(crate) fn set_limits(system: &dyn System, name: &str, limits: Limits) -> Result<()> {
    let wanted: Vec<_> = [("min_gear", limits.min_gear), ("max_gear", limits.max_gear)]
        .into_iter()
        .filter_map(|(name, gear)| policy::Assignment::number(name, gear))
        .collect();
    policy::change(system, Some(name), &wanted).map(|_| ())
}

pub(crate) fn limits_of(array: &Array) -> Limits {
    Limits {
        min_gear: array.settings.min_gear,
        max_gear: array.settings.max_gear,
    }
}

pub(crate) fn limits(system: &dyn System, name: &str) -> Result<Limits> {
    let (min_gear, max_gear) = array::limits(system, name)?;
    Ok(Limits { min_gear, max_gear })
}

impl Pin {
    fn limits(&self) -> Limits {
        Limits {
            min_gear: self.gear_min,
            max_gear: self.gear_max,
        }
    }
}

/// Until the guard is dropped, no pin is set or ended. Taken before the lock of the schedules.
pub(crate) fn lock(system: &dyn System) -> Result<Box<dyn Any>> {
    store::lock(system)
}

pub(crate) fn uuid(system: &dyn System, name: &str) -> Option<String> {
    let path = Path::new("/sys/block").join(name).join("md/uuid");
    let text = system.text(&path).ok()?;
    Some(text.trim().to_owned()).filter(|uuid| !uuid.is_empty())
}

/// Does a pin hold the limits of the array, or will it when its time comes to end?
pub fn is_pinned(system: &dyn System, name: &str) -> Result<bool> {
    let pins = load(system)?;
    if pins.is_empty() {
        return Ok(false);
    }
    let uuid = uuid(system, name);
    Ok(pins.iter().any(|pin| is_of(pin, name, uuid.as_deref())))
}

/// By the UUID, if both have one.
fn is_of(pin: &Pin, name: &str, uuid: Option<&str>) -> bool {
    match (pin.uuid.as_deref(), uuid) {
        (Some(pin), Some(uuid)) => pin == uuid,
        _ => pin.array == name,
    }
}

/// The name by which the pin's array runs now.
fn running(system: &dyn System, pin: &Pin) -> Option<String> {
    let names = array::names(system).ok()?;
    names
        .into_iter()
        .find(|name| is_of(pin, name, uuid(system, name).as_deref()))
}
