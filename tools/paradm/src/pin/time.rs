// SPDX-License-Identifier: GPL-2.0
//! Until when: `18:00`, `2026-11-25 18:00`, or for `2h30m`. On the administrator's clock.

use jiff::civil::{DateTime, Time};
use jiff::tz::TimeZone;
use jiff::{Span, Timestamp, ToSpan, ZonedDateTime};
use std::str::FromStr;

/// A time of day, the next one; or of a day.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Until {
    TimeOfDay(Time),
    Moment(DateTime),
}

impl FromStr for Until {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        // Without a colon jiff reads much: "18" and "2026-11-25" leave it open what is meant.
        if !text.contains(':') {
            return Err(UNTIL);
        }
        let day = text.contains('-');
        if day {
            text.parse().map(Until::Moment).map_err(|_| UNTIL)
        } else {
            text.parse().map(Until::TimeOfDay).map_err(|_| UNTIL)
        }
    }
}

const UNTIL: &str = "a time is given as 18:00 or '2026-11-25 18:00'";

impl Until {
    /// `None`: it is over, or too far away for a calendar.
    pub fn timestamp(self, now: Timestamp, zone: TimeZone) -> Option<Timestamp> {
        let now = now.to_zoned_datetime(zone.clone());
        let found = match self {
            Until::Moment(moment) => zone.to_zoned_datetime(moment).ok()?,
            Until::TimeOfDay(time) => next(&now, time)?,
        };
        (found > now).then(|| found.timestamp())
    }
}

/// Where a clock is set forward, a time that is left out is the one after.
fn next(now: &ZonedDateTime, time: Time) -> Option<ZonedDateTime> {
    let on = |date: jiff::civil::Date| {
        now.time_zone()
            .to_zoned_datetime(date.to_datetime(time))
            .ok()
    };
    let today = on(now.date())?;
    if today > *now {
        Some(today)
    } else {
        on(now.date().checked_add(1.day()).ok()?)
    }
}

/// So long from now: `90min`, `2h30m`, `3 days`.
#[derive(Debug, Clone, Copy)]
pub struct Length(Span);

impl FromStr for Length {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let span: Span = text.parse().map_err(|_| LENGTH)?;
        if span.is_positive() {
            Ok(Length(span))
        } else {
            Err(LENGTH)
        }
    }
}

const LENGTH: &str = "a time is given as 90min, 2h30m or 3days";

impl Length {
    pub fn timestamp(self, now: Timestamp, zone: TimeZone) -> Option<Timestamp> {
        let end = now.to_zoned_datetime(zone).checked_add(self.0).ok()?;
        Some(end.timestamp())
    }
}

/// Since when: a time of day, the last one; of a day; or so long ago.
#[derive(Debug, Clone, Copy)]
pub enum Since {
    Clock(Until),
    Ago(Length),
}

impl FromStr for Since {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let clock = text.parse().map(Since::Clock);
        clock.or_else(|_| text.parse().map(Since::Ago).map_err(|_| SINCE))
    }
}

const SINCE: &str = "a time is given as 18:00, '2026-11-25 18:00', or how long ago: 90min, 7days";

impl Since {
    /// `None`: it is to come, or too long ago for a calendar.
    pub fn timestamp(self, now: Timestamp, zone: TimeZone) -> Option<Timestamp> {
        let now = now.to_zoned_datetime(zone.clone());
        let found = match self {
            Since::Clock(Until::Moment(moment)) => zone.to_zoned_datetime(moment).ok()?,
            Since::Clock(Until::TimeOfDay(time)) => last(&now, time)?,
            Since::Ago(Length(span)) => now.checked_sub(span).ok()?,
        };
        (found <= now).then(|| found.timestamp())
    }
}

fn last(now: &ZonedDateTime, time: Time) -> Option<ZonedDateTime> {
    let on = |date: jiff::civil::Date| {
        let zone = now.time_zone();
        zone.to_zoned_datetime(date.to_datetime(time)).ok()
    };
    let today = on(now.date())?;
    if today <= *now {
        Some(today)
    } else {
        on(now.date().checked_sub(1.day()).ok()?)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn now() -> Timestamp {
        "2026-03-28T20:30:00Z".parse().unwrap()
    }

    fn until(text: &str, zone: TimeZone) -> Option<String> {
        let until: Until = text.parse().unwrap();
        Some(until.timestamp(now(), zone)?.to_string())
    }

    #[test]
    fn the_next_one_is_meant() {
        let cases = [
            ("21:00", Some("2026-03-28T21:00:00Z")),
            ("18:00", Some("2026-03-29T18:00:00Z")),
            ("20:30", Some("2026-03-29T20:30:00Z")),
            ("2026-04-01 07:15", Some("2026-04-01T07:15:00Z")),
            ("2026-03-28T20:00", None),
        ];
        for (text, meant) in cases {
            assert_eq!(until(text, TimeZone::UTC).as_deref(), meant, "{text}");
        }
    }

    #[test]
    fn clocks_that_are_set_forward_leave_none_out() {
        let zone = TimeZone::posix("CET-1CEST,M3.5.0,M10.5.0/3").unwrap();
        assert_eq!(
            until("02:30", zone).as_deref(),
            Some("2026-03-29T01:30:00Z")
        );
    }

    #[test]
    fn lengths_are_of_the_calendar() {
        let zone = TimeZone::posix("CET-1CEST,M3.5.0,M10.5.0/3").unwrap();
        let end = |text: &str| {
            let length: Length = text.parse().unwrap();
            length.timestamp(now(), zone.clone()).unwrap().to_string()
        };
        assert_eq!(end("90min"), "2026-03-28T22:00:00Z");
        assert_eq!(end("2h30m"), "2026-03-28T23:00:00Z");
        assert_eq!(end("1 day"), "2026-03-29T19:30:00Z");
    }

    #[test]
    fn the_last_one_is_meant() {
        let cases = [
            ("21:00", Some("2026-03-27T21:00:00Z")),
            ("18:00", Some("2026-03-28T18:00:00Z")),
            ("20:30", Some("2026-03-28T20:30:00Z")),
            ("2026-03-01 07:15", Some("2026-03-01T07:15:00Z")),
            ("2026-04-01 07:15", None),
            ("7days", Some("2026-03-21T20:30:00Z")),
            ("30min", Some("2026-03-28T20:00:00Z")),
        ];
        for (text, meant) in cases {
            let since: Since = text.parse().unwrap();
            let found = since.timestamp(now(), TimeZone::UTC);
            let found = found.map(|found| found.to_string());
            assert_eq!(found.as_deref(), meant, "{text}");
        }
    }

    #[test]
    fn what_is_no_time_is_refused() {
        for text in [
            "",
            "18",
            "25:00",
            "18:60",
            "noon",
            "2026-11-25",
            "2026-13-01 10:00",
        ] {
            assert_eq!(text.parse::<Until>(), Err(UNTIL), "{text}");
        }
        for text in ["", "2", "0s", "-2h", "soon"] {
            assert!(text.parse::<Length>().is_err(), "{text}");
        }
    }

    proptest! {
        #[test]
        fn any_text_is_a_time_or_refused(text in "[-0-9: hmsdayT.+PZ]{0,20}|.*") {
            if let Ok(until) = text.parse::<Until>() {
                let found = until.timestamp(now(), TimeZone::UTC);
                prop_assert!(found.is_none_or(|found| found > now()));
            }
            if let Ok(length) = text.parse::<Length>() {
                let found = length.timestamp(now(), TimeZone::UTC);
                prop_assert!(found.is_none_or(|found| found > now()));
            }
            if let Ok(since) = text.parse::<Since>() {
                let found = since.timestamp(now(), TimeZone::UTC);
                prop_assert!(found.is_none_or(|found| found <= now()));
            }
        }
    }
}
