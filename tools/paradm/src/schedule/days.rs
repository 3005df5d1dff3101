// SPDX-License-Identifier: GPL-2.0
//! What past days tell of a day to come. An hour's load is foretold as the mean over the same hour of
//! past days (Sierra, section 3.4), but of days of the same type only: working days and days of rest,
//! say. Which weekdays are of which type is learnt from the days themselves.

use super::DAYS;
use super::gear::sufficient;
use crate::array::PastHour;
use jiff::civil::{Date, Weekday};
use jiff::{Timestamp, tz::TimeZone};
use serde::Serialize;
use std::collections::BTreeMap;

/// Weekdays are told apart if that foretells the known days so much better: a part of the error
/// that treating all days alike has. Loads by chance do not differ so much.
const BETTER: f64 = 0.8;

/// What an hour has, or is foretold to have. Percent of what all members can do.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Load {
    pub mean: f64,
    pub peak: f64,
}

/// A day of the administrator's calendar, whose hours begin as its clock says.
#[derive(Debug, Clone)]
struct Day {
    weekday: Weekday,
    hours: [Option<Load>; 24],
}

/// One bit each, Monday's the lowest: weekdays of the second type.
type Weekdays = u8;

pub struct Days {
    zone: TimeZone,
    days: Vec<Day>,
    /// No day is: all are of one type.
    second: Weekdays,
    sums: Sums,
}

/// A load that is foretold.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Foretold {
    pub load: Load,
    /// The number of days that it is the mean of.
    pub days: u32,
}

/// How many percent of the known hours had the gear that other days would have foretold.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Right {
    pub hours: u32,
    pub percent: f64,
    /// The same, if all days were taken to be alike.
    pub percent_alike: f64,
}

impl Days {
    /// Of hours before `now`.
    pub fn new(past: &[PastHour], now: Timestamp, zone: &TimeZone) -> Self {
        let first = now.as_second() - DAYS;
        let mut days = BTreeMap::<Date, Day>::new();
        for hour in past
            .iter()
            .filter(|hour| (first..now.as_second()).contains(&hour.start()))
        {
            let Some((date, clock)) = clock(hour.start(), zone) else {
                continue;
            };
            let day = days.entry(date).or_insert_with(|| Day {
                weekday: date.weekday(),
                hours: [None; 24],
            });
            if let Some(place) = day.hours.get_mut(clock) {
                *place = Some(Load {
                    mean: hour.mean,
                    peak: hour.peak,
                });
            }
        }
        let mut known = Days {
            zone: zone.clone(),
            days: days.into_values().collect(),
            second: 0,
            sums: Sums::default(),
        };
        known.second = known.learn();
        known.sums = known.sums(known.second);
        known
    }

    /// Days of which an hour at least is known.
    pub fn count(&self) -> usize {
        self.days.len()
    }

    /// The weekdays of each type: one or two lists.
    pub fn types(&self) -> Vec<Vec<&'static str>> {
        let of = |second: bool| -> Vec<_> {
            let all = (0..7).filter(|at| (self.second >> at & 1 == 1) == second);
            all.filter_map(|at| NAMES.get(at).copied()).collect()
        };
        let mut types = vec![of(false)];
        if self.second != 0 {
            types.push(of(true));
        }
        types.sort_by_key(|days| std::cmp::Reverse(days.len()));
        types
    }

    /// The load of the hour that begins at `start`, in seconds since 1970. `None`: that hour is known of no day.
    pub fn foretell(&self, start: i64) -> Option<Foretold> {
        let (date, hour) = clock(start, &self.zone)?;
        let type_ = is_in(self.second, date.weekday());
        let sums = &self.sums;
        let sum = sums.of(type_, hour).filter(|sum| sum.days > 0);
        sum.or_else(|| Some(sums.of_all(hour)))?.mean()
    }

    /// Each known hour foretold from all other days.
    pub fn right(&self, gears: &[u32], limit: u32) -> Option<Right> {
        let percent = |second: Weekdays| {
            let (mut hours, mut right) = (0u32, 0u32);
            for (is, foretold) in self.each_from_others(second) {
                hours += 1;
                let gear = |load: Load| sufficient(load.peak, gears, limit);
                right += u32::from(gear(is) == gear(foretold));
            }
            (hours > 0).then(|| (hours, f64::from(right) * 100.0 / f64::from(hours)))
        };
        let (hours, all) = percent(self.second)?;
        Some(Right {
            hours,
            percent: all,
            percent_alike: percent(0)?.1,
        })
    }

    /// The two types of weekdays that foretell the known days best; no second one, if it is not much better.
    /// One odd day is no type.
    fn learn(&self) -> Weekdays {
        // A type and its complement are the same: Sunday is of the first or of the second type, not both.
        let choices = 1..1 << 6;
        let of_two_days = |second: &Weekdays| {
            let days = self
                .days
                .iter()
                .filter(|day| is_in(*second, day.weekday))
                .count();
            days >= 2 && self.days.len() - days >= 2
        };
        let best = choices
            .filter(of_two_days)
            .map(|second| (self.error(second), second))
            .min_by(|one, other| one.0.total_cmp(&other.0));
        match best {
            Some((error, second)) if error < BETTER * self.error(0) => second,
            _ => 0,
        }
    }

    /// By how much peaks differ from what other days foretell, in all.
    fn error(&self, second: Weekdays) -> f64 {
        self.each_from_others(second)
            .map(|(is, foretold)| (is.peak - foretold.peak).abs())
            .sum()
    }

    /// Each known hour, with what the other days of its type foretell; all other days, if there is none.
    fn each_from_others(&self, second: Weekdays) -> impl Iterator<Item = (Load, Load)> {
        let sums = self.sums(second);
        let hours = self.days.iter().flat_map(|day| {
            let hours = day.hours.iter().enumerate();
            hours.filter_map(|(hour, load)| load.map(|load| (day.weekday, hour, load)))
        });
        hours.filter_map(move |(weekday, hour, load)| {
            let same = sums.of(is_in(second, weekday), hour)?.without(load);
            let foretold = same.or_else(|| sums.of_all(hour).without(load))?;
            Some((load, foretold.mean()?.load))
        })
    }

    fn sums(&self, second: Weekdays) -> Sums {
        let mut sums = Sums::default();
        for day in &self.days {
            let [one, two] = &mut sums.0;
            let of = if is_in(second, day.weekday) { two } else { one };
            for (sum, load) in of.iter_mut().zip(&day.hours) {
                if let Some(load) = load {
                    sum.days += 1;
                    sum.mean += load.mean;
                    sum.peak += load.peak;
                }
            }
        }
        sums
    }
}

const NAMES: [&str; 7] = ["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"];

fn is_in(weekdays: Weekdays, weekday: Weekday) -> bool {
    weekdays >> weekday.to_monday_zero_offset() & 1 == 1
}

/// The day, and the hour that the clock shows.
fn clock(start: i64, zone: &TimeZone) -> Option<(Date, usize)> {
    let at = Timestamp::from_second(start).ok()?;
    let at = zone.to_datetime(at);
    Some((at.date(), usize::try_from(at.hour()).ok()?))
}

#[derive(Clone, Copy, Default)]
struct Sum {
    days: u32,
    mean: f64,
    peak: f64,
}

impl Sum {
    fn without(self, load: Load) -> Option<Self> {
        (self.days > 1).then(|| Sum {
            days: self.days - 1,
            mean: self.mean - load.mean,
            peak: self.peak - load.peak,
        })
    }

    fn mean(self) -> Option<Foretold> {
        let days = f64::from(self.days);
        (self.days > 0).then(|| Foretold {
            load: Load {
                mean: self.mean / days,
                peak: self.peak / days,
            },
            days: self.days,
        })
    }
}

/// By type and hour.
#[derive(Default)]
struct Sums([[Sum; 24]; 2]);

impl Sums {
    fn of(&self, second: bool, hour: usize) -> Option<Sum> {
        self.0.get(usize::from(second))?.get(hour).copied()
    }

    fn of_all(&self, hour: usize) -> Sum {
        let sum = |second| self.of(second, hour).unwrap_or_default();
        let (one, two) = (sum(false), sum(true));
        Sum {
            days: one.days + two.days,
            mean: one.mean + two.mean,
            peak: one.peak + two.peak,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// 2026-11-02, a Monday.
    const MONDAY: i64 = 20_759 * 24;

    /// Hours of `days` days; the load by day and hour.
    fn past(days: i64, load: impl Fn(i64, i64) -> f64) -> Vec<PastHour> {
        let hours = (0..days).flat_map(|day| (0..24).map(move |hour| (day, hour)));
        hours
            .map(|(day, hour)| PastHour {
                hour: MONDAY + day * 24 + hour,
                mean: load(day, hour) / 2.0,
                peak: load(day, hour),
            })
            .collect()
    }

    fn days(past: &[PastHour], day: i64) -> Days {
        let now = Timestamp::from_second((MONDAY + day * 24) * 3600).unwrap();
        Days::new(past, now, &TimeZone::UTC)
    }

    fn at_noon(days: &Days, day: i64) -> Option<(f64, u32)> {
        let foretold = days.foretell((MONDAY + day * 24 + 12) * 3600)?;
        Some((foretold.load.peak, foretold.days))
    }

    #[test]
    fn days_that_are_alike_are_of_one_type() {
        let known = days(
            &past(7, |_, hour| f64::from(i32::try_from(hour).unwrap())),
            7,
        );
        assert_eq!(known.types().len(), 1);
        assert_eq!(at_noon(&known, 8), Some((12.0, 7)));
        let right = known.right(&[3, 5], 70).unwrap();
        assert_eq!(
            (right.hours, right.percent, right.percent_alike),
            (168, 100.0, 100.0)
        );
    }

    #[test]
    fn days_of_rest_are_learnt_in_a_week_whichever_they_are() {
        for rest in [[5, 6], [4, 5], [2, 6]] {
            let load = |day: i64, _| if rest.contains(&(day % 7)) { 9.0 } else { 60.0 };
            let known = days(&past(7, load), 7);
            let is = |day: i64| at_noon(&known, 7 + day);
            for day in 0..7 {
                let wanted = if rest.contains(&day) {
                    (9.0, 2)
                } else {
                    (60.0, 5)
                };
                assert_eq!(is(day), Some(wanted), "{rest:?} day {day}");
            }
            let right = known.right(&[3, 5], 70).unwrap();
            assert_eq!(right.percent, 100.0);
            assert!(right.percent_alike < 80.0);
        }
    }

    #[test]
    fn one_day_of_its_kind_is_learnt_in_the_second_week() {
        let load = |day: i64, _| if day % 7 == 6 { 80.0 } else { 10.0 };
        assert_eq!(days(&past(7, load), 7).types().len(), 1);
        let known = days(&past(14, load), 14);
        assert_eq!(at_noon(&known, 20), Some((80.0, 2)));
        assert_eq!(at_noon(&known, 19), Some((10.0, 12)));
    }

    #[test]
    fn hours_are_those_of_the_clock_whatever_its_zone() {
        // Summer time ends on 2026-10-25 there; the day's load begins at 9 on the clock in both.
        let zone = TimeZone::get("Europe/Berlin").unwrap();
        let first = MONDAY - 14 * 24;
        let hours: Vec<_> = (first..MONDAY)
            .map(|hour| {
                let (_, clock) = clock(hour * 3600, &zone).unwrap();
                let load = if clock >= 9 { 50.0 } else { 1.0 };
                PastHour {
                    hour,
                    mean: load,
                    peak: load,
                }
            })
            .collect();
        let now = Timestamp::from_second(MONDAY * 3600).unwrap();
        let known = Days::new(&hours, now, &zone);
        let peak = |hour: i64| known.foretell((MONDAY + hour) * 3600).unwrap().load.peak;
        assert_eq!((peak(7), peak(8)), (1.0, 50.0));
    }

    #[test]
    fn nothing_is_foretold_of_what_is_not_known() {
        assert_eq!(at_noon(&days(&[], 7), 7), None);
        assert_eq!(days(&[], 7).right(&[3, 5], 70), None);
        // Older than four weeks, or to come.
        assert_eq!(days(&past(7, |_, _| 5.0), 40).count(), 0);
        assert_eq!(days(&past(7, |_, _| 5.0), -1).count(), 0);
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(32))]
        #[test]
        fn what_is_foretold_lies_between_the_least_and_the_most(
            loads in prop::collection::vec(prop::option::of(0.0..200.0f64), 0..28 * 24),
        ) {
            let hours: Vec<_> = (MONDAY..).zip(&loads)
                .filter_map(|(hour, load)| load.and_then(|load| PastHour::new(hour, load, load)))
                .collect();
            let known = days(&hours, 28);
            let least = hours.iter().map(|hour| hour.peak).fold(f64::MAX, f64::min);
            let most = hours.iter().map(|hour| hour.peak).fold(0.0, f64::max);
            for hour in 0..168 {
                if let Some(foretold) = known.foretell((MONDAY + 28 * 24 + hour) * 3600) {
                    let peak = foretold.load.peak;
                    prop_assert!(peak >= least - 1e-6 && peak <= most + 1e-6);
                    prop_assert!(foretold.days > 0 && foretold.days <= 28);
                }
            }
            if let Some(right) = known.right(&[3, 5], 70) {
                prop_assert!((0.0..=100.0).contains(&right.percent));
            }
        }
    }
}
