// SPDX-License-Identifier: GPL-2.0
//! `paradm schedule`: the gear that each hour of the day is going to need, foretold from the
//! same hour of past days; and arrays that go by that.

mod days;
mod follow;
mod gear;
mod store;
mod text;

pub use days::{Days, Foretold, Load, Right};
pub use follow::{EVERY_SECONDS, Follower, Need, Plan, Terms};
pub use gear::sufficient;
pub use store::{Changed, Followed, apply, give_back, load, of, off, own_limits, set};

use crate::array::{self, Array, PastHour};
use crate::error::Result;
use crate::history;
use crate::system::System;
use jiff::{Timestamp, tz::TimeZone};
use serde::Serialize;
use std::time::Duration;

const HOUR: i64 = 3600;
/// Older hours foretell nothing, in seconds.
pub const DAYS: i64 = 28 * 86_400;
/// A schedule is followed if so many hours are known that it has been tested on, a week but for some …
const ENOUGH_HOURS: u32 = 150;
/// … and so many percent of them would have had the right gear. Where past days do not
/// resemble each other, the policy alone does better.
const GOOD_ENOUGH: f64 = 80.0;
/// An hour may have more load than past ones: where that would need a higher gear, the load is watched.
const SAFE: f64 = 1.15;

#[derive(Debug, Serialize)]
pub struct Schedules {
    /// The clock that `starts` and `up_at` are of.
    pub zone: String,
    pub arrays: Vec<Schedule>,
}

#[derive(Debug, PartialEq, Serialize)]
pub struct Schedule {
    pub name: String,
    /// `schedule apply` has been called for it.
    pub follows: bool,
    /// Enough is known, and past days resemble each other enough, for an array to follow it.
    pub good_enough: bool,
    /// So long before an hour a shift up has to begin, to be over when the hour begins.
    pub lead_seconds: u64,
    /// So many of the past 28 days are known, in part at least.
    pub days: usize,
    /// Weekdays that are treated alike.
    pub day_types: Vec<Vec<&'static str>>,
    /// Of the past hours, each predicted from the other days; `None`: less than two days are known.
    pub right: Option<Right>,
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
    /// How many past days these are of.
    pub days: u32,
    /// The lowest gear that suffices for the peak.
    pub gear: Option<u32>,
    /// The lowest gear that suffices for the mean.
    pub mean_gear: Option<u32>,
    /// The hour begins with more load than the gear before bears: when to shift up, on that clock.
    pub up_at: Option<String>,
}

/// What is foretold for an array.
pub struct Foresight {
    days: Days,
    gears: Vec<u32>,
    up_threshold: u32,
    lead_seconds: u64,
}

impl Foresight {
    pub fn new(array: &Array, past: &[PastHour], now: Timestamp, zone: &TimeZone) -> Self {
        Foresight {
            days: Days::new(past, now, zone),
            gears: array.gears.clone(),
            up_threshold: array.settings.up_threshold,
            lead_seconds: lead_seconds(array),
        }
    }

    pub fn right(&self) -> Option<Right> {
        self.days.right(&self.gears, self.up_threshold)
    }

    /// Is it good enough to be followed?
    pub fn is_good_enough(&self) -> bool {
        self.right()
            .is_some_and(|right| right.hours >= ENOUGH_HOURS && right.percent >= GOOD_ENOUGH)
    }

    /// What the hour that begins then needs; `None`: nothing is known of such hours.
    fn need(&self, start: i64) -> Option<Need> {
        let load = self.days.foretell(start)?.load;
        Some(Need {
            mean: self.gear(load.mean)?,
            peak: self.gear(load.peak * SAFE)?,
        })
    }

    fn gear(&self, load: f64) -> Option<u32> {
        sufficient(load, &self.gears, self.up_threshold)
    }

    /// Hours that nothing is known of need no more than the lowest gear.
    pub fn plan(&self, now: i64) -> Plan {
        let lowest = self.gears.first().copied().unwrap_or(0);
        let unknown = Need {
            mean: lowest,
            peak: lowest,
        };
        let need = |at: i64| self.need(start_of_hour(at)).unwrap_or(unknown);
        Plan {
            before: need(now.saturating_sub(HOUR)),
            now: need(now),
            soon: need(now.saturating_add_unsigned(self.lead_seconds)),
        }
    }

    /// How long the plan of `now` stays as it is.
    pub fn changes_in(&self, now: i64) -> Duration {
        let left = |at: i64| HOUR - at.rem_euclid(HOUR);
        let soon = left(now.saturating_add_unsigned(self.lead_seconds));
        Duration::from_secs(left(now).min(soon).unsigned_abs())
    }

    fn hours(&self, now: Timestamp, zone: &TimeZone) -> Vec<Hour> {
        let first = start_of_hour(now.as_second());
        let lowest = self.gears.first().copied();
        // The present hour has begun: nothing can be done ahead of it.
        let mut before = self.need(first).map(|need| need.peak);
        let mut hours = Vec::new();
        for start in (0..24).map(|hour| first + hour * HOUR) {
            let need = self.need(start);
            let foretold = self.days.foretell(start);
            let up = need.map(|need| need.mean) > before.or(lowest);
            let up_at = start.saturating_sub_unsigned(self.lead_seconds);
            hours.push(Hour {
                starts: clock(start, zone, "%H:%M"),
                start,
                mean: foretold.map(|foretold| foretold.load.mean),
                peak: foretold.map(|foretold| foretold.load.peak),
                days: foretold.map_or(0, |foretold| foretold.days),
                gear: foretold.and_then(|foretold| self.gear(foretold.load.peak)),
                mean_gear: need.map(|need| need.mean),
                up_at: up.then(|| clock(up_at, zone, "%H:%M:%S")),
            });
            before = need.map(|need| need.peak);
        }
        hours
    }
}

impl Schedules {
    pub fn read(system: &dyn System, given: Option<&str>) -> Result<Self> {
        let zone = system.zone();
        let arrays = array::some(system, given)?;
        Ok(Schedules {
            zone: zone.iana_name().unwrap_or("UTC").to_owned(),
            arrays: arrays
                .iter()
                .map(|array| Schedule::read(system, array, &zone))
                .collect::<Result<_>>()?,
        })
    }
}

impl Schedule {
    fn read(system: &dyn System, array: &Array, zone: &TimeZone) -> Result<Self> {
        let now = system.now();
        let past = history::past_hours(system, &array.name, now.as_second() - DAYS)?;
        let foresight = Foresight::new(array, &past, now, zone);
        Ok(Schedule {
            name: array.name.clone(),
            follows: store::of(system, &array.name)?.is_some(),
            good_enough: foresight.is_good_enough(),
            lead_seconds: foresight.lead_seconds,
            days: foresight.days.count(),
            day_types: foresight.days.types(),
            right: foresight.right(),
            hours: foresight.hours(now, zone),
        })
    }
}

/// The longest that a shift up takes: the policy heeds a new limit when its interval is over, all sleepers are started
/// one after another, and the last one takes as long as the array waits for a disk.
fn lead_seconds(array: &Array) -> u64 {
    let sleepers = array.sleepers().count();
    let after_first = u64::try_from(sleepers.saturating_sub(1)).unwrap_or(0);
    let stagger = u64::from(array.settings.wake_stagger) * after_first;
    let interval = u64::from(array.settings.interval);
    u64::from(array.settings.wake_timeout) + (interval + stagger).div_ceil(1000)
}

fn start_of_hour(seconds: i64) -> i64 {
    seconds.saturating_sub(seconds.rem_euclid(HOUR))
}

fn clock(seconds: i64, zone: &TimeZone, form: &str) -> String {
    let at = Timestamp::from_second(seconds);
    at.map(|at| zone.to_datetime(at).strftime(form).to_string())
        .unwrap_or_default()
}
