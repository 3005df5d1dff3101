// SPDX-License-Identifier: GPL-2.0
//! Where pins are kept, so that any paradm can end them.

use crate::error::Result;
use crate::kept::Kept;
use crate::system::System;
use serde::{Deserialize, Serialize};
use std::any::Any;

pub const FILE: &str = "/var/lib/paradm/pins.json";
const PINS: Kept = Kept {
    file: FILE,
    lock: "/var/lib/paradm/pins.lock",
    name: "the pins",
    wanted: "a list of pins; delete it, and the pins are forgotten",
};

/// An array stays between two gears.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Pin {
    pub array: String,
    /// md's, where the kernel tells it: an array may come back by another name.
    #[serde(default)]
    pub uuid: Option<String>,
    pub gear_min: u32,
    pub gear_max: u32,
    /// Seconds since 1970; `None`: until it is ended.
    pub until: Option<i64>,
    /// What is to be restored.
    pub before: Limits,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Limits {
    pub min_gear: u32,
    pub max_gear: u32,
}

#[derive(Debug, Default, Serialize, Deserialize)]
struct Document {
    pins: Vec<Pin>,
}

/// All pins, those of arrays that do not run now among them.
pub fn load(system: &dyn System) -> Result<Vec<Pin>> {
    Ok(PINS.load::<Document>(system)?.pins)
}

pub(super) fn save(system: &dyn System, pins: &[Pin]) -> Result<()> {
    let document = Document {
        pins: pins.to_vec(),
    };
    PINS.save(system, (!pins.is_empty()).then_some(&document))
}

/// Until the guard is dropped, nobody else changes the pins.
pub(super) fn lock(system: &dyn System) -> Result<Box<dyn Any>> {
    PINS.lock(system)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sim::SimSystem;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn any_file_is_pins_or_an_error(text in ".*|\\{\"pins\":\\[[^]]*\\]\\}") {
            let sim = SimSystem::new();
            sim.world().tree.file(FILE, &text);
            if let Err(error) = load(&sim) {
                prop_assert!(error.to_string().starts_with(FILE));
            }
        }

        #[test]
        fn what_is_saved_is_loaded(
            array in "[a-z0-9]{1,8}", uuid in prop::option::of("[0-9a-f-]{36}"),
            gears in (1u32..28, 1u32..28), until in prop::option::of(any::<i64>()),
        ) {
            let sim = SimSystem::new();
            let before = Limits { min_gear: gears.1, max_gear: gears.0 };
            let (gear_min, gear_max) = gears;
            let pins = [Pin { array, uuid, gear_min, gear_max, until, before }];
            save(&sim, &pins).unwrap();
            prop_assert_eq!(load(&sim).unwrap(), pins);
        }
    }
}
