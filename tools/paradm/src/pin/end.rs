// SPDX-License-Identifier: GPL-2.0
//! Pins that end: by hand, or when their time is over.

use super::store::{self, Limits, Pin};
use super::{is_of, limits, load, running, set_limits, uuid};
use crate::array;
use crate::error::{Error, Result};
use crate::system::System;
use serde::Serialize;

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Ended {
    pub array: String,
    /// The limits that the array has now; `None`: it is forgotten, and has kept them.
    pub limits: Option<Limits>,
    /// Somebody has set others since: they stay.
    pub changed_since: bool,
}

#[derive(Debug, Serialize)]
pub struct EndedPins {
    pub ended: Vec<Ended>,
}

/// Which pins are to end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Which<'a> {
    /// The array's; without a name, of the only one that is pinned.
    Array(Option<&'a str>),
    /// Of an array that does not run and may never again: its limits, which are stored with it, stay.
    Forgotten(&'a str),
}

/// End what is over at `now` (seconds since 1970). A pin of an array that does not run stays until
/// the array runs again: its limits are stored with it. So does one that cannot be ended (the array is
/// read-only, say), which is an error if no other has ended.
pub fn end_expired(system: &dyn System, now: i64) -> Result<Vec<Ended>> {
    let over = |pin: &Pin| pin.until.is_some_and(|until| until <= now);
    // Mostly there is none: no lock is taken, and root is not needed.
    if !load(system)?.iter().any(over) {
        return Ok(Vec::new());
    }
    let _lock = store::lock(system)?;
    let (mut ended, mut left, mut failed) = (Vec::new(), Vec::new(), None);
    for pin in load(system)? {
        let name = running(system, &pin).filter(|_| over(&pin));
        match name.map(|name| release(system, &name, &pin)) {
            Some(Ok(one)) => ended.push(one),
            Some(Err(error)) => {
                failed = Some(error);
                left.push(pin);
            }
            None => left.push(pin),
        }
    }
    if ended.is_empty() {
        return failed.map_or(Ok(ended), Err);
    }
    store::save(system, &left)?;
    Ok(ended)
}

/// End a pin before its time.
pub fn end(system: &dyn System, which: Which) -> Result<Ended> {
    let _lock = store::lock(system)?;
    let mut pins = load(system)?;
    let at = position(system, &pins, which)?;
    let pin = pins.remove(at);
    let ended = match (running(system, &pin), which) {
        (Some(name), _) => release(system, &name, &pin)?,
        (None, Which::Forgotten(_)) => Ended {
            array: pin.array,
            limits: None,
            changed_since: false,
        },
        (None, Which::Array(_)) => {
            return Err(Error::Refused {
                what: format!("the pin of {} cannot be ended", pin.array),
                reason: "the array does not run, and its limits are stored with it; \
                         assemble it, or have the pin forgotten with --forget"
                    .to_owned(),
            });
        }
    };
    store::save(system, &pins)?;
    Ok(ended)
}

fn position(system: &dyn System, pins: &[Pin], which: Which) -> Result<usize> {
    let given = match which {
        Which::Array(None) => match pins {
            [_] => return Ok(0),
            [] => return Err(Error::NotFound("no array is pinned".to_owned())),
            several => {
                let names: Vec<_> = several.iter().map(|pin| pin.array.as_str()).collect();
                return Err(Error::Usage(format!(
                    "several arrays are pinned, name one: {}",
                    names.join(" ")
                )));
            }
        },
        Which::Array(Some(given)) | Which::Forgotten(given) => given,
    };
    let unpinned = || Error::NotFound(format!("{given} is not pinned"));
    let name = array::meant(system, given).ok_or_else(unpinned)?;
    let uuid = uuid(system, &name);
    pins.iter()
        .position(|pin| is_of(pin, &name, uuid.as_deref()))
        .ok_or_else(unpinned)
}

/// The limits are as before, unless somebody else has set them since.
fn release(system: &dyn System, name: &str, pin: &Pin) -> Result<Ended> {
    let now = limits(system, name)?;
    let changed_since = now != pin.limits();
    if !changed_since {
        set_limits(system, name, pin.before)?;
    }
    Ok(Ended {
        array: name.to_owned(),
        limits: Some(if changed_since { now } else { pin.before }),
        changed_since,
    })
}
