// SPDX-License-Identifier: GPL-2.0
//! `load_history`: the load of each hour of the past week.

use super::{Dir, par_dir, reader};
use crate::error::Result;
use crate::system::System;
use serde::Serialize;

/// An hour that is over.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct PastHour {
    /// Hours since 1970, UTC.
    pub hour: i64,
    /// Percent of what all members can do.
    pub mean: f64,
    /// The largest load of an interval.
    pub peak: f64,
}

impl PastHour {
    /// When it began, in seconds since 1970.
    pub fn start(&self) -> i64 {
        self.hour.saturating_mul(3600)
    }

    /// More is no hour that a clock shows.
    const LAST: i64 = 1 << 31;
    /// The module tells none that is larger.
    const MOST: f64 = 1000.0;

    /// `None`: it cannot be one.
    pub fn new(hour: i64, mean: f64, peak: f64) -> Option<Self> {
        let load = 0.0..=Self::MOST;
        let is_one =
            (0..Self::LAST).contains(&hour) && load.contains(&mean) && load.contains(&peak);
        is_one.then_some(PastHour { hour, mean, peak })
    }
}

/// Oldest first; none if the module is too old to tell.
pub fn load_history(system: &dyn System, name: &str) -> Result<Vec<PastHour>> {
    let par = Dir::new(system, par_dir(name));
    match par.lines("load_history", "HOUR MEAN PEAK", past_hour) {
        Err(error) if error.is_absent() => Ok(Vec::new()),
        other => other,
    }
}

fn past_hour(line: &str) -> Option<PastHour> {
    let mut words = line.split_ascii_whitespace();
    let hour = words.next()?.parse().ok()?;
    let mean = words.next().and_then(reader::finite)?;
    let peak = words.next().and_then(reader::finite)?;
    words
        .next()
        .is_none()
        .then(|| PastHour::new(hour, mean, peak))?
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn a_line_is_an_hour_and_its_loads() {
        let hour = past_hour("494125 31.07 88.20").unwrap();
        assert_eq!((hour.hour, hour.mean, hour.peak), (494_125, 31.07, 88.2));
        for line in [
            "",
            "1",
            "1 2",
            "1 2 3 4",
            "-1 2 3",
            "1 -2 3",
            "1 2 nan",
            "1 2 inf",
            "x 2 3",
            "9999999999 2 3",
        ] {
            assert_eq!(past_hour(line), None, "{line}");
        }
    }

    proptest! {
        #[test]
        fn any_line_is_parsed_or_refused(line in "\\PC*|[0-9. -]*") {
            if let Some(hour) = past_hour(&line) {
                prop_assert!(hour.mean.is_finite() && hour.peak.is_finite());
                prop_assert!(jiff::Timestamp::from_second(hour.start()).is_ok());
            }
        }
    }
}
