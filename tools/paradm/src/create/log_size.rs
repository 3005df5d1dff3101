// SPDX-License-Identifier: GPL-2.0
//! The size of a write log, as mdadm takes it, and the one that an array has if none is given.

use serde::{Serialize, Serializer};
use std::fmt;
use std::str::FromStr;

/// On each member, in sectors.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LogSize(u64);

const SECTOR: u64 = 512;
/// What mdadm calls its units, and their sectors, the largest first.
const UNITS: [(char, u64); 5] = [
    ('T', 1 << 31),
    ('G', 1 << 21),
    ('M', 1 << 11),
    ('K', 2),
    ('s', 1),
];
/// mdadm makes no smaller one.
const LEAST: u64 = 4 << 11;
/// A log of this share of the smallest member costs next to nothing; mdadm's default is the same.
const SHARE: u64 = 1024;
/// In MiB: a smaller one would be full all the time, and is not made by default; nor is a larger one.
const LEAST_USUAL: u64 = 64;
const MOST_USUAL: u64 = 8 << 10;
/// More than any device has; mdadm reckons with 64 bits.
const MOST: u64 = 1 << 50;

impl LogSize {
    pub fn bytes(self) -> u64 {
        self.0 * SECTOR
    }

    /// What an array whose smallest member has so many bytes has by default.
    pub fn usual(least: u64) -> Option<Self> {
        let mib = (least / SHARE) >> 20;
        (mib >= LEAST_USUAL).then(|| LogSize(mib.min(MOST_USUAL) << 11))
    }

    /// A number and K, M, G, T or s (sectors); K without one.
    fn parse(text: &str) -> Option<Self> {
        let unit = |(name, _): &&(char, u64)| text.ends_with(*name);
        let (number, each) = match UNITS.iter().find(unit) {
            Some((name, each)) => (text.strip_suffix(*name)?, *each),
            None => (text, 2),
        };
        let digits = number.chars().all(|c| c.is_ascii_digit());
        let sectors = number.parse::<u64>().ok()?.checked_mul(each)?;
        (digits && (LEAST..=MOST).contains(&sectors)).then_some(LogSize(sectors))
    }
}

impl FromStr for LogSize {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        Self::parse(text).ok_or_else(|| {
            format!("a log's size is given as mdadm takes it, as 512M or 8G (binary), 4M at least, or none, not {text:?}")
        })
    }
}

/// What is asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum LogWish {
    /// What is usual with these members.
    #[default]
    Usual,
    /// No log.
    Without,
    Size(LogSize),
}

impl LogWish {
    /// With members of which the smallest has so many bytes.
    pub fn on(self, least: u64) -> Option<LogSize> {
        match self {
            LogWish::Usual => LogSize::usual(least),
            LogWish::Without => None,
            LogWish::Size(size) => Some(size),
        }
    }
}

impl FromStr for LogWish {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text {
            "none" | "0" => Ok(LogWish::Without),
            _ => text.parse().map(LogWish::Size),
        }
    }
}

impl fmt::Display for LogSize {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let whole = |(_, each): &&(char, u64)| self.0 % *each == 0;
        match UNITS.iter().find(whole) {
            Some((name, each)) => write!(f, "{}{name}", self.0 / each),
            None => write!(f, "{}s", self.0),
        }
    }
}

impl Serialize for LogSize {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_u64(self.bytes())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// mdadm's parse_size() takes each of them, as the same number of sectors.
    #[test]
    fn sizes_are_those_of_mdadm() {
        for (text, sectors, shown) in [
            ("8G", 16_777_216, "8G"),
            ("8192M", 16_777_216, "8G"),
            ("4096", 8192, "4M"),
            ("4097K", 8194, "4097K"),
            ("8193s", 8193, "8193s"),
            ("1T", 1 << 31, "1T"),
            ("08G", 16_777_216, "8G"),
        ] {
            let size: LogSize = text.parse().unwrap();
            assert_eq!((size.0, size.to_string().as_str()), (sectors, shown));
        }
    }

    #[test]
    fn what_is_no_size_is_refused() {
        for wrong in [
            "",
            "G",
            "0",
            "-8G",
            "+8G",
            "8g",
            "8GB",
            "8GiB",
            "8.5G",
            "8 G",
            "8G ",
            "0x8G",
            "3M",
            "8191s",
            "9999999999999T",
        ] {
            assert!(wrong.parse::<LogSize>().is_err(), "{wrong}");
        }
    }

    /// As tests/mdadm/geometry.c has it of mdadm.
    #[test]
    fn the_usual_size_is_a_share_of_the_members() {
        let gib = 1_u64 << 30;
        for (least, shown) in [
            (0, None),
            (64 * gib - 1, None),
            (64 * gib, Some("64M")),
            (65 * gib - 1, Some("64M")),
            (1000 * gib, Some("1000M")),
            (8191 * gib, Some("8191M")),
            (8192 * gib, Some("8G")),
            (u64::MAX, Some("8G")),
        ] {
            let usual = LogSize::usual(least).map(|size| size.to_string());
            assert_eq!(usual.as_deref(), shown, "{least}");
            assert_eq!(LogWish::Usual.on(least), LogSize::usual(least));
        }
        for none in ["none", "0"] {
            assert_eq!(none.parse(), Ok(LogWish::Without));
        }
        assert_eq!(LogWish::Without.on(u64::MAX), None);
        assert_eq!("4M".parse::<LogWish>().unwrap().on(0), "4M".parse().ok());
        assert!("None".parse::<LogWish>().is_err());
    }

    proptest! {
        #[test]
        fn any_text_is_a_size_or_an_error(text in ".*|[0-9]{1,20}[KMGTs]?") {
            if let Ok(size) = text.parse::<LogSize>() {
                prop_assert_eq!(size.to_string().parse(), Ok(size));
            }
        }
    }
}
