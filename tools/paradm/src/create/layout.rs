// SPDX-License-Identifier: GPL-2.0
//! Level and gears of an array to be.

use super::LogSize;
use crate::error::{Error, Result};
use crate::output::units;
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

    pub fn low(&self) -> u32 {
        self.0.first().copied().unwrap_or(0)
    }

    /// What is used of each member that never sleeps, which are the first ones, and of each other one: as mdadm has it.
    /// An array with images of everything has no use for what the former have more.
    pub fn used_of(&self, disks: &[u64], image_share: u32) -> (u64, u64) {
        let least = disks.iter().min().copied().unwrap_or(0);
        let low = usize::try_from(self.low()).unwrap_or(usize::MAX);
        let steady = disks.iter().take(low).min().copied().unwrap_or(0);
        if image_share < Geometry::SHARE_ALL {
            (steady, least)
        } else {
            (least, least)
        }
    }

    /// What is not used of disks of different sizes, of which some may be spares.
    pub fn mixed(&self, disks: &[u64], image_share: u32) -> Option<String> {
        let (steady, least) = self.used_of(disks, image_share);
        let low = usize::try_from(self.low()).unwrap_or(usize::MAX);
        let top = usize::try_from(self.top()).unwrap_or(usize::MAX);
        let unused = disks
            .iter()
            .enumerate()
            .fold(0_u64, |sum, (number, bytes)| {
                // A spare can take the place of either kind of member.
                let either = number >= top && *bytes >= steady;
                let used = if number < low || either {
                    steady
                } else {
                    least
                };
                sum.saturating_add(bytes.saturating_sub(used))
            });
        let of_each = if steady > least {
            format!(
                "each of the first {low}, which never sleep, is used up to {}, each other one up to {}",
                units::bytes(steady),
                units::bytes(least)
            )
        } else {
            format!("each is used up to {}, the smallest", units::bytes(least))
        };
        (unused > least / 50).then(|| {
            format!(
                "the disks are of different sizes: {of_each}; {} in all are not used",
                units::bytes(unused)
            )
        })
    }

    pub fn top(&self) -> u32 {
        self.0.last().copied().unwrap_or(0)
    }

    /// Where all lies on members of these sizes, those that never sleep and the others, or why no array is like that.
    /// `image_share`: percent.
    pub fn geometry(
        &self,
        level: Level,
        chunk_kib: u64,
        sizes: (u64, u64),
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
            sizes,
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

    /// As mdadm has it: what the members that never sleep have more is used for a share of images, and only then.
    #[test]
    fn members_that_never_sleep_may_be_larger() {
        const TB: u64 = 1_000_000_000_000;
        let gears: Gears = "3,5".parse().unwrap();
        let bytes = |disks: &[u64], share| {
            let sizes = gears.used_of(disks, share);
            let geometry = gears.geometry(Level::Raid5, 512, sizes, None, share);
            geometry.unwrap().array_bytes()
        };
        let same = [10 * TB; 5];
        let larger = [12 * TB, 13 * TB, 12 * TB, 10 * TB, 10 * TB];
        let sleeper = [10 * TB, 12 * TB, 12 * TB, 10 * TB, 12 * TB];
        assert_eq!(bytes(&larger, 100), bytes(&same, 100));
        assert_eq!(bytes(&sleeper, 10), bytes(&same, 10));
        // Nothing but metadata is taken from the sleepers' 10 TB.
        assert!(bytes(&larger, 10) > 4 * 10 * TB - TB / 100);
        assert!(bytes(&same, 10) < 4 * 10 * TB * 10 / 11);

        let said = gears.mixed(&larger, 10).unwrap();
        let each = "each of the first 3, which never sleep, is used up to 12.0 TB, each other one up to 10.0 TB";
        assert!(
            said.contains(each) && said.contains("; 1.00 TB in all"),
            "{said}"
        );
        let said = gears.mixed(&larger, 100).unwrap();
        assert!(
            said.contains("up to 10.0 TB, the smallest; 7.00 TB in all"),
            "{said}"
        );
        assert_eq!(
            gears.mixed(&[12 * TB, 12 * TB, 12 * TB, 10 * TB, 10 * TB], 10),
            None
        );
        let spares = |size| {
            gears.mixed(
                &[12 * TB, 12 * TB, 12 * TB, 10 * TB, 10 * TB, size * TB],
                10,
            )
        };
        assert_eq!(
            (spares(10), spares(12), spares(11).is_some()),
            (None, None, true)
        );
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
