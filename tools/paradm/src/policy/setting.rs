// SPDX-License-Identifier: GPL-2.0
//! What can be set of an array, and what each setting takes: Documentation/sysfs-par.md as a table.
//!
//! The ranges are checked before anything is written, so that the user reads what is taken, and not
//! an errno; the kernel has the last word nevertheless.

use crate::array::{Array, PolicyMode, Settings, Spin};
use serde::Serialize;
use std::fmt;
use std::ops::RangeInclusive;
use std::str::FromStr;

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(untagged)]
pub enum Value {
    Number(u32),
    Word(&'static str),
}

impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Value::Number(number) => number.fmt(f),
            Value::Word(word) => word.fmt(f),
        }
    }
}

#[derive(Debug, Clone)]
pub enum Takes {
    Number(RangeInclusive<u32>),
    OneOf([&'static str; 2]),
    /// One of the array's, by its members.
    Gear,
}

impl Takes {
    fn parse(&self, text: &str) -> Option<Value> {
        match self {
            Takes::Number(range) => text
                .parse()
                .ok()
                .filter(|number| range.contains(number))
                .map(Value::Number),
            Takes::OneOf(words) => words
                .iter()
                .find(|word| **word == text)
                .map(|word| Value::Word(word)),
            Takes::Gear => text.parse().ok().map(Value::Number),
        }
    }
}

impl fmt::Display for Takes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Takes::Number(range) if *range.end() == u32::MAX => {
                write!(f, "a number from {}", range.start())
            }
            Takes::Number(range) => write!(f, "a number from {} to {}", range.start(), range.end()),
            Takes::OneOf([one, other]) => write!(f, "{one} or {other}"),
            Takes::Gear => f.write_str("a gear, as its number of members"),
        }
    }
}

#[derive(Debug, Clone, Copy)]
pub enum Default {
    Is(Value),
    LowestGear,
    TopGear,
}

#[derive(Debug)]
pub struct Setting {
    /// Of the file.
    pub name: &'static str,
    pub unit: &'static str,
    pub takes: Takes,
    default: Default,
    pub about: &'static str,
    get: fn(&Settings) -> Value,
}

impl Setting {
    pub fn named(name: &str) -> Option<&'static Self> {
        SETTINGS.iter().find(|setting| setting.name == name)
    }

    pub fn of(&self, settings: &Settings) -> Value {
        (self.get)(settings)
    }

    pub fn default(&self, array: &Array) -> Value {
        match self.default {
            Default::Is(value) => value,
            Default::LowestGear => Value::Number(array.lowest_gear()),
            Default::TopGear => Value::Number(array.top_gear()),
        }
    }
}

macro_rules! number {
    ($name:ident, $unit:literal, $range:expr, $default:expr, $about:literal) => {
        Setting {
            name: stringify!($name),
            unit: $unit,
            takes: Takes::Number($range),
            default: Default::Is(Value::Number($default)),
            about: $about,
            get: |settings| Value::Number(settings.$name),
        }
    };
}

/// In the order in which they are shown.
pub static SETTINGS: [Setting; 20] = [
    Setting {
        name: "policy",
        unit: "",
        takes: Takes::OneOf(["manual", "auto"]),
        default: Default::Is(Value::Word("manual")),
        about: "auto: the array shifts by itself",
        get: |settings| match settings.policy {
            PolicyMode::Manual => Value::Word("manual"),
            PolicyMode::Auto => Value::Word("auto"),
        },
    },
    Setting {
        name: "min_gear",
        unit: "",
        takes: Takes::Gear,
        default: Default::LowestGear,
        about: "lowest gear that the policy may choose",
        get: |settings| Value::Number(settings.min_gear),
    },
    Setting {
        name: "max_gear",
        unit: "",
        takes: Takes::Gear,
        default: Default::TopGear,
        about: "highest gear that the policy may choose",
        get: |settings| Value::Number(settings.max_gear),
    },
    number!(
        up_threshold,
        "%",
        2..=100,
        70,
        "the array shifts up when busier than this"
    ),
    number!(
        down_threshold,
        "%",
        1..=99,
        50,
        "a lower gear is sufficient when less busy than this"
    ),
    number!(
        up_wait,
        "ms",
        0..=60_000,
        250,
        "the array shifts up when requests take longer; 0: no limit"
    ),
    number!(
        hold,
        "s",
        0..=86_400,
        60,
        "time for which a lower gear must have been sufficient"
    ),
    number!(
        break_even,
        "s",
        0..=86_400,
        120,
        "sleep that saves the energy of a stop and a start"
    ),
    number!(
        interval,
        "ms",
        100..=60_000,
        1000,
        "time over which loads are counted"
    ),
    number!(window_short, "intervals", 1..=60, 3, "window for shifts up"),
    number!(
        window_long,
        "intervals",
        1..=900,
        300,
        "second window for shifts down"
    ),
    number!(
        carry,
        "days",
        0..=3650,
        7,
        "unused spin-ups that are carried over, in days' worth"
    ),
    Setting {
        name: "spin",
        unit: "",
        takes: Takes::OneOf(["on", "off"]),
        default: Default::Is(Value::Word("on")),
        about: "on: disks that the gear leaves out are stopped",
        get: |settings| match settings.spin {
            Spin::On => Value::Word("on"),
            Spin::Off => Value::Word("off"),
        },
    },
    number!(
        stop_after,
        "s",
        0..=86_400,
        60,
        "idle time after which a disk that another program started is stopped"
    ),
    number!(
        wake_timeout,
        "s",
        1..=3600,
        60,
        "time that a disk has to start; a member fails after twice this"
    ),
    number!(
        wake_stagger,
        "ms",
        0..=60_000,
        0,
        "time between the starts of two disks"
    ),
    number!(
        speed_min,
        "KiB/s",
        1..=u32::MAX,
        8192,
        "speed of propagation while the array is in use"
    ),
    number!(
        speed_max,
        "KiB/s",
        1..=u32::MAX,
        2_097_152,
        "highest speed of propagation"
    ),
    Setting {
        name: "scrub_wakes",
        unit: "",
        takes: Takes::Number(0..=1),
        default: Default::Is(Value::Number(0)),
        about: "1: a check wakes all members",
        get: |settings| Value::Number(u32::from(settings.scrub_wakes)),
    },
    number!(
        scrub_age,
        "days",
        0..=3650,
        35,
        "age of the last complete read at which a check wakes the members of a set; 0: never"
    ),
];

/// `NAME=VALUE`, as typed; the value is one that the setting takes.
#[derive(Debug, Clone, Copy)]
pub struct Assignment {
    pub setting: &'static Setting,
    pub value: Value,
}

impl Assignment {
    /// `None`: there is no such setting, or it takes no such number.
    pub fn number(name: &str, number: u32) -> Option<Self> {
        let setting = Setting::named(name)?;
        let value = setting.takes.parse(&number.to_string())?;
        Some(Assignment { setting, value })
    }
}

impl FromStr for Assignment {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let (name, value) = text
            .split_once('=')
            .ok_or("a setting is given as NAME=VALUE")?;
        let setting = Setting::named(name).ok_or_else(|| {
            let names: Vec<_> = SETTINGS.iter().map(|setting| setting.name).collect();
            format!(
                "there is no setting {name:?}; there are {}",
                names.join(", ")
            )
        })?;
        let value = setting
            .takes
            .parse(value)
            .ok_or_else(|| format!("{name} takes {}{}", setting.takes, in_unit(setting)))?;
        Ok(Assignment { setting, value })
    }
}

fn in_unit(setting: &Setting) -> String {
    match setting.unit {
        "" => String::new(),
        unit => format!(" ({unit})"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn what_is_no_setting_is_said() {
        let cases = [
            ("up_threshold", "a setting is given as NAME=VALUE"),
            (
                "up_threshold=high",
                "up_threshold takes a number from 2 to 100 (%)",
            ),
            ("speed_min=0", "speed_min takes a number from 1 (KiB/s)"),
            ("spin=maybe", "spin takes on or off"),
            (
                "min_gear=low",
                "min_gear takes a gear, as its number of members",
            ),
        ];
        for (text, said) in cases {
            assert_eq!(text.parse::<Assignment>().unwrap_err(), said);
        }
        let said = "gear=3".parse::<Assignment>().unwrap_err();
        assert!(said.starts_with("there is no setting \"gear\"; there are policy, "));
    }

    proptest! {
        #[test]
        fn any_text_is_a_setting_or_refused(text in ".*", at in 0..SETTINGS.len()) {
            let _ = text.parse::<Assignment>();
            let _ = format!("{}={text}", SETTINGS[at].name).parse::<Assignment>();
        }
    }
}
