// SPDX-License-Identifier: GPL-2.0
//! `paradm schedule`: the gear that each hour of the day is going to need, foretold from the
//! same hour of past days.

mod gear;
mod text;

pub use gear::sufficient;

use crate::array::{self, Array, HourLoad};
use crate::error::Result;
use crate::system::System;
use jiff::{Timestamp, tz::TimeZone};
use serde::Serialize;

const HOUR: i64 = 3600;

#[derive(Debug, Serialize)]
pub struct Schedules {
    /// The clock that `starts` and `up_at` are of.
    pub zone: String,
    pub arrays: Vec<Schedule>,
}

#[derive(Debug, PartialEq, Serialize)]
pub struct Schedule {
    pub name: String,
    /// So long before an hour a shift up has to begin, to be over when the hour begins.
    pub lead_seconds: u64,
    /// The next 24, from the present one on.
    pub hours: Vec<Hour>,
}

#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Hour {
    /// On the clock of `zone`: 06:00, or 05:30 where clocks differ by halves of hours.
    pub starts: String,
    /// Seconds since 1970
    pub start: i64,
    /// The load in the mean, and at the peak, of that hour of past days, in percent of what all
    /// members can do; `None`: nothing is known of that hour.
    pub mean: Option<f64>,
    pub peak: Option<f64>,
    /// How many past days are known.
    pub days: u32,
    /// The lowest gear that suffices for the peak.
    pub gear: Option<u32>,
    /// The hour needs a higher gear than the one before: when to shift up, on that clock.
    pub up_at: Option<String>,
}

impl Schedules {
    pub fn read(system: &dyn System, given: Option<&str>) -> Result<Self> {
        let (now, zone) = (system.now(), system.zone());
        let arrays = array::some(system, given)?;
        Ok(Schedules {
            zone: zone.iana_name().unwrap_or("UTC").to_owned(),
            arrays: arrays
                .iter()
                .map(|array| Schedule::of(array, now, &zone))
                .collect(),
        })
    }
}

impl Schedule {
    fn of(array: &Array, now: Timestamp, zone: &TimeZone) -> Self {
        let lead = lead_seconds(array);
        let first = now.as_second() - now.as_second().rem_euclid(HOUR);
        // The present hour has begun: nothing can be done ahead of it.
        let mut before = gear_of(array, first);
        let mut hours = Vec::new();
        for start in (0..24).map(|hour| first + hour * HOUR) {
            let gear = gear_of(array, start);
            let known = load_of(array, start);
            // An hour that nothing is known of is taken to be spent in the lowest gear.
            let up = gear > before.or(Some(array.lowest_gear()));
            hours.push(Hour {
                starts: clock(start, zone, "%H:%M"),
                start,
                mean: known.map(|load| load.mean),
                peak: known.map(|load| load.peak),
                days: known.map_or(0, |load| load.days),
                gear,
                up_at: up.then(|| clock(start.saturating_sub_unsigned(lead), zone, "%H:%M:%S")),
            });
            before = gear;
        }
        Schedule {
            name: array.name.clone(),
            lead_seconds: lead,
            hours,
        }
    }
}

/// The longest that a shift up takes: all sleepers are started one after another, and the last
/// one takes as long as the array waits for a disk.
fn lead_seconds(array: &Array) -> u64 {
    let sleepers = array.sleepers().count();
    let after_first = u64::try_from(sleepers.saturating_sub(1)).unwrap_or(0);
    let stagger = u64::from(array.settings.wake_stagger) * after_first;
    u64::from(array.settings.wake_timeout) + stagger.div_ceil(1000)
}

fn gear_of(array: &Array, start: i64) -> Option<u32> {
    let load = load_of(array, start)?;
    sufficient(load.peak, &array.gears, array.settings.up_threshold)
}

/// What is known of the hour of the day in which `start` is.
fn load_of(array: &Array, start: i64) -> Option<&HourLoad> {
    let hour = start.div_euclid(HOUR).rem_euclid(24);
    let mut loads = array.load_by_hour.iter();
    loads.find(|load| i64::from(load.hour) == hour && load.days > 0)
}

fn clock(seconds: i64, zone: &TimeZone, form: &str) -> String {
    let at = Timestamp::from_second(seconds);
    at.map(|at| {
        at.to_zoned_datetime(zone.clone())
            .strftime(form)
            .to_string()
    })
    .unwrap_or_default()
}
