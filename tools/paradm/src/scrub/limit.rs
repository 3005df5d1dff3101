// SPDX-License-Identifier: GPL-2.0
//! How fast a scrub may be: md's `sync_speed_min` and `sync_speed_max`, of this array.

use super::md_file;
use super::show::{md_dir, speed_text};
use crate::array::{self, Dir};
use crate::error::Result;
use crate::output::{Style, Text};
use crate::system::{Files, System};
use serde::Serialize;
use std::str::FromStr;

/// KiB/s of each member; `None`: what the system has for all arrays.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limit(pub Option<u32>);

impl FromStr for Limit {
    type Err = &'static str;

    fn from_str(text: &str) -> std::result::Result<Self, Self::Err> {
        const WANTED: &str = "a limit is none, or KiB/s from 1, or with a unit as 20M";
        if text == "none" {
            return Ok(Limit(None));
        }
        let (digits, scale) = match text.strip_suffix(['K', 'M', 'G']) {
            Some(digits) if text.ends_with('M') => (digits, 1024),
            Some(digits) if text.ends_with('G') => (digits, 1024 * 1024),
            Some(digits) => (digits, 1),
            None => (text, 1),
        };
        let number: u32 = digits.parse().map_err(|_| WANTED)?;
        // md's own numbers are of 31 bits.
        let speed = number
            .checked_mul(scale)
            .filter(|speed| (1..=i32::MAX.unsigned_abs()).contains(speed));
        speed.map(|speed| Limit(Some(speed))).ok_or(WANTED)
    }
}

#[derive(Debug, Serialize)]
pub struct Limited {
    pub name: String,
    /// KiB/s; null: the system's.
    pub limit: Option<u32>,
}

/// A file `sync_speed_*`: `1000 (system)`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Speed {
    System(u32),
    Local(u32),
}

impl Speed {
    fn parse(line: &str) -> Option<Self> {
        match line.split_once(' ')? {
            (speed, "(system)") => speed.parse().ok().map(Speed::System),
            (speed, "(local)") => speed.parse().ok().map(Speed::Local),
            _ => None,
        }
    }

    fn number(self) -> u32 {
        match self {
            Speed::System(speed) | Speed::Local(speed) => speed,
        }
    }
}

pub(super) fn speed_file(md: &Dir, file: &str) -> Result<Speed> {
    md.one_of(file, "KiB/s, and (system) or (local)", Speed::parse)
}

/// It holds at once. The speed that md keeps to while the array is used is lowered to it, if it is
/// above.
pub fn limit(system: &dyn System, given: Option<&str>, limit: Limit) -> Result<Limited> {
    let name = array::named(system, given)?;
    let set = |file: &str, value: &str| system.put(&md_file(&name, file), value);
    match limit.0 {
        Some(speed) => {
            let least = speed_file(&md_dir(system, &name), "sync_speed_min")?;
            if least.number() > speed {
                set("sync_speed_min", &speed.to_string())?;
            }
            set("sync_speed_max", &speed.to_string())?;
        }
        None => {
            set("sync_speed_max", "system")?;
            set("sync_speed_min", "system")?;
        }
    }
    Ok(Limited {
        name,
        limit: limit.0,
    })
}

impl Text for Limited {
    fn text(&self, style: Style) -> String {
        let name = style.bold(&self.name);
        match self.limit {
            Some(limit) => format!(
                "{name}: checks are limited to {} for each disk\n",
                speed_text(limit.into())
            ),
            None => format!("{name}: checks have the system's limit for all arrays\n"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn limits_have_units() {
        let cases = [
            ("none", Ok(None)),
            ("512", Ok(Some(512))),
            ("512K", Ok(Some(512))),
            ("20M", Ok(Some(20_480))),
            ("1G", Ok(Some(1_048_576))),
            ("0", Err(())),
            ("4096G", Err(())),
            ("-1", Err(())),
            ("M", Err(())),
            ("20MB", Err(())),
        ];
        for (text, meant) in cases {
            let limit = text.parse::<Limit>().map(|limit| limit.0).map_err(|_| ());
            assert_eq!(limit, meant, "{text}");
        }
    }

    proptest! {
        #[test]
        fn any_text_is_a_limit_or_refused(text in "[0-9]{0,12}[KMG]?|.*") {
            let _ = text.parse::<Limit>();
            let _ = Speed::parse(&text);
        }
    }
}
