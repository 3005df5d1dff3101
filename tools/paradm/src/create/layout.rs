// SPDX-License-Identifier: GPL-2.0
//! Level and gears of an array to be.

use super::LogSize;
use crate::error::{Error, Result};
use crate::policy_ffi::{Geometry, MAX_MEMBERS};
use serde::Serialize;
use std::fmt;
use std::str::FromStr;

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, clap::ValueEnum)]
#[serde(rename_all = "lowercase")]
pub enum Level {
    #[default]
    Raid5,
    Raid6,
    Raid0,
}

impl Level {
    pub fn number(self) -> u32 {
        match self {
            Level::Raid5 => 5,
            Level::Raid6 => 6,
            Level::Raid0 => 0,
        }
    }

    pub fn parities(self) -> u32 {
        match self {
            Level::Raid5 => 1,
            Level::Raid6 => 2,
            Level::Raid0 => 0,
        }
    }

    pub fn least_gear(self) -> u32 {
        if self == Level::Raid6 { 4 } else { 2 }
    }
}

/// Gears by their members, growing: `3,5`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(transparent)]
pub struct Gears(Vec<u32>);

impl Gears {
    /// Those that mdadm takes if none are given: about half of the members, and all.
    pub fn usual(level: Level, members: u32) -> Self {
        let half = members.div_ceil(2).max(level.least_gear());
        Gears(vec![half, members])
    }

    /// Of gears that grow; `None`: they do not.
    pub fn of(gears: Vec<u32>) -> Option<Self> {
        let growing = gears.windows(2).all(|two| two.first() < two.last());
        growing.then_some(Gears(gears))
    }

    pub fn list(&self) -> &[u32] {
        &self.0
    }

    pub fn top(&self) -> u32 {
        self.0.last().copied().unwrap_or(0)
    }

    /// Where all lies on members of that size, or why no array is like that. `image_share`: percent.
    pub fn geometry(
        &self,
        level: Level,
        chunk_kib: u64,
        device_bytes: u64,
        log: Option<LogSize>,
        image_share: u32,
    ) -> Result<Geometry> {
        let wrong = |reason: &str| Error::Usage(format!("gears {self} with {level}: {reason}"));
        if self.0.len() < 2 {
            return Err(wrong("two gears are needed at least, as in 3,5"));
        }
        let word = Geometry::layout_word(level.number(), &self.0);
        let word = word.ok_or_else(|| wrong("the layout has no number that mdadm could store"))?;
        let log_bytes = log.map_or(0, LogSize::bytes);
        let geometry = Geometry::with_parts(
            word,
            self.top(),
            chunk_kib << 10,
            device_bytes,
            log_bytes,
            image_share,
        );
        geometry.map_err(|reason| match log {
            Some(log) => wrong(&format!("{reason}, with a log of {log}")),
            None => wrong(reason),
        })
    }
}

impl FromStr for Gears {
    type Err = String;

    fn from_str(text: &str) -> std::result::Result<Self, String> {
        let wrong = || {
            format!(
                "gears are numbers of members, growing, at most {MAX_MEMBERS}, as in 3,5: not {text:?}"
            )
        };
        let gears: Option<Vec<u32>> = text
            .split(',')
            .map(|gear| gear.parse().ok().filter(|gear| (2..=28).contains(gear)))
            .collect();
        let gears = gears.ok_or_else(wrong)?;
        Gears::of(gears).ok_or_else(wrong)
    }
}

impl fmt::Display for Gears {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let words: Vec<_> = self.0.iter().map(u32::to_string).collect();
        f.write_str(&words.join(","))
    }
}

impl fmt::Display for Level {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "raid{}", self.number())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn usual_gears_are_those_of_mdadm() {
        assert_eq!(Gears::usual(Level::Raid5, 5).to_string(), "3,5");
        assert_eq!(Gears::usual(Level::Raid5, 3).to_string(), "2,3");
        assert_eq!(Gears::usual(Level::Raid6, 5).to_string(), "4,5");
    }

    #[test]
    fn gears_grow() {
        for wrong in ["", "5,3", "3,3", "3,29", "3;5", "1,5", "-3,5", "3,5,"] {
            assert!(wrong.parse::<Gears>().is_err(), "{wrong}");
        }
    }

    proptest! {
        #[test]
        fn any_text_is_gears_or_an_error(text in ".*") {
            if let Ok(gears) = text.parse::<Gears>() {
                prop_assert_eq!(gears.to_string().parse::<Gears>(), Ok(gears));
            }
        }
    }
}
