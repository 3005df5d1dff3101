// SPDX-License-Identifier: GPL-2.0
//! Change settings: all that are asked for, or none.

use super::setting::{Assignment, Value};
use crate::array::{self, Array, PolicyMode, Settings};
use crate::error::{Error, Result};
use crate::output::{Style, Text};
use crate::policy_ffi::{Geometry, Knobs};
use crate::system::{Files, System};
use serde::Serialize;

#[derive(Debug, Serialize)]
pub struct Changed {
    pub name: String,
    /// Empty: all was so already.
    pub changes: Vec<Change>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct Change {
    pub setting: &'static str,
    pub from: Value,
    pub to: Value,
}

/// Of two settings the first may not exceed the second at any time.
const PAIRS: [[&str; 2]; 4] = [
    ["down_threshold", "up_threshold"],
    ["window_short", "window_long"],
    ["min_gear", "max_gear"],
    ["speed_min", "speed_max"],
];

/// What is the array's already is not written: a write is stored, and costs metadata.
pub fn change(system: &dyn System, given: Option<&str>, wanted: &[Assignment]) -> Result<Changed> {
    let name = array::named(system, given)?;
    let array = Array::read(system, &name)?;
    let changes = changes(&array.settings, wanted)?;
    check(&array, &changes)?;
    let changes = in_order(changes);
    write(system, &array, &changes)?;
    Ok(Changed { name, changes })
}

fn changes(settings: &Settings, wanted: &[Assignment]) -> Result<Vec<Change>> {
    let mut changes: Vec<Change> = Vec::new();
    for Assignment { setting, value } in wanted {
        if changes.iter().any(|known| known.setting == setting.name) {
            return Err(Error::Usage(format!("{} is given twice", setting.name)));
        }
        changes.push(Change {
            setting: setting.name,
            from: setting.of(settings),
            to: *value,
        });
    }
    changes.retain(|change| change.from != change.to);
    Ok(changes)
}

/// Do they fit each other, and those that stay? In the module's words.
fn check(array: &Array, changes: &[Change]) -> Result<()> {
    let refused = |reason: &str| Error::Refused {
        what: format!("{} keeps its settings", array.name),
        reason: reason.to_owned(),
    };
    let mut knobs = knobs_of(&array.settings);
    let [mut speed_min, mut speed_max] = [array.settings.speed_min, array.settings.speed_max];
    for change in changes {
        match (change.setting, change.to) {
            ("policy", word) => knobs.automatic = word == Value::Word("auto"),
            ("speed_min", Value::Number(number)) => speed_min = number,
            ("speed_max", Value::Number(number)) => speed_max = number,
            (name, Value::Number(number)) => set_knob(&mut knobs, name, number),
            (_, Value::Word(_)) => {}
        }
    }
    if speed_min > speed_max {
        return Err(refused("speed_min must not exceed speed_max"));
    }
    let geometry = geometry_of(array).map_err(refused)?;
    geometry.check_knobs(&knobs).map_err(refused)
}

/// As far as settings go by it.
fn geometry_of(array: &Array) -> std::result::Result<Geometry, &'static str> {
    let level = match array.level {
        array::Level::Raid5 => 5,
        array::Level::Raid6 => 6,
        array::Level::Raid0 => 0,
    };
    let word = Geometry::layout_word(level, &array.gears).ok_or("its layout is not known")?;
    let data = array.top_gear().saturating_sub(array.level.parities());
    // The metadata of each member, and what rounding takes, is less than as much again.
    let content = array.bytes / u64::from(data.max(1));
    let device = content.saturating_mul(2).saturating_add(1 << 30);
    Geometry::new(word, array.top_gear(), array.chunk_bytes, device)
}

fn knobs_of(settings: &Settings) -> Knobs {
    Knobs {
        automatic: settings.policy == PolicyMode::Auto,
        interval: settings.interval,
        window: [settings.window_short, settings.window_long],
        up: settings.up_threshold,
        down: settings.down_threshold,
        wait: settings.up_wait,
        hold: settings.hold,
        break_even: settings.break_even,
        min_gear: settings.min_gear,
        max_gear: settings.max_gear,
    }
}

fn set_knob(knobs: &mut Knobs, name: &str, number: u32) {
    let [short, long] = &mut knobs.window;
    let place = match name {
        "interval" => &mut knobs.interval,
        "window_short" => short,
        "window_long" => long,
        "up_threshold" => &mut knobs.up,
        "down_threshold" => &mut knobs.down,
        "up_wait" => &mut knobs.wait,
        "hold" => &mut knobs.hold,
        "break_even" => &mut knobs.break_even,
        "min_gear" => &mut knobs.min_gear,
        "max_gear" => &mut knobs.max_gear,
        _ => return,
    };
    *place = number;
}

/// So that what is set is right at each step, and the policy begins when all else is set.
fn in_order(mut changes: Vec<Change>) -> Vec<Change> {
    for [lower, upper] in PAIRS {
        let at = |name| changes.iter().position(|change| change.setting == name);
        let (Some(low), Some(high)) = (at(lower), at(upper)) else {
            continue;
        };
        let raises = matches!(
            (changes.get(low), changes.get(high)),
            (Some(low), Some(high)) if number(high.to) > number(low.from)
        );
        if raises == (low < high) {
            changes.swap(low, high);
        }
    }
    changes.sort_by_key(|change| change.to == Value::Word("auto"));
    changes
}

fn number(value: Value) -> u32 {
    match value {
        Value::Number(number) => number,
        Value::Word(_) => 0,
    }
}

fn write(system: &dyn System, array: &Array, changes: &[Change]) -> Result<()> {
    for (done, change) in changes.iter().enumerate() {
        let file = array::par_file(&array.name, change.setting);
        if let Err(error) = system.put(&file, &change.to.to_string()) {
            take_back(system, array, changes.get(..done).unwrap_or(&[]))?;
            return Err(explained(array, change, error));
        }
    }
    Ok(())
}

fn take_back(system: &dyn System, array: &Array, done: &[Change]) -> Result<()> {
    for change in done.iter().rev() {
        let file = array::par_file(&array.name, change.setting);
        system.put(&file, &change.from.to_string()).map_err(|_| {
            Error::NotDone(format!(
                "{} has {}={} now, but not all settings were changed",
                array.name, change.setting, change.to
            ))
        })?;
    }
    Ok(())
}

fn explained(array: &Array, change: &Change, error: Error) -> Error {
    match error {
        Error::Refused { reason, .. } => Error::Refused {
            what: format!(
                "{} does not take {}={}, and keeps its settings",
                array.name, change.setting, change.to
            ),
            reason: if array.is_read_only() {
                "it is read-only; `mdadm --readwrite` makes it writable".to_owned()
            } else {
                reason
            },
        },
        other => other,
    }
}

impl Text for Changed {
    fn text(&self, style: Style) -> String {
        let name = style.bold(&self.name);
        if self.changes.is_empty() {
            return format!("{name} has these settings already\n");
        }
        let line = |change: &Change| {
            let Change { setting, from, to } = change;
            format!("{name}: {setting} is {to}, was {from}\n")
        };
        self.changes.iter().map(line).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::policy::SETTINGS;
    use crate::sim::{SimArray, SimSystem};
    use proptest::prelude::*;
    use std::path::Path;

    fn assigned(pairs: &[(usize, u32)]) -> Vec<Assignment> {
        let mut wanted = Vec::new();
        for (at, number) in pairs {
            let setting = &SETTINGS[*at];
            if let Ok(assignment) = format!("{}={number}", setting.name).parse::<Assignment>() {
                if wanted
                    .iter()
                    .all(|known: &Assignment| known.setting.name != setting.name)
                {
                    wanted.push(assignment);
                }
            }
        }
        wanted
    }

    fn shown(sim: &SimSystem) -> Vec<String> {
        let par = Path::new("/sys/block/md0/md/par");
        SETTINGS
            .iter()
            .map(|setting| sim.read(&par.join(setting.name)).unwrap())
            .collect()
    }

    proptest! {
        /// The order of the writes is right, whatever was set before: the module, which checks each
        /// of them, takes all, or paradm has refused before the first one.
        #[test]
        fn all_or_nothing_is_set(
            before in prop::collection::vec((0..SETTINGS.len(), 0u32..120), 0..12),
            pairs in prop::collection::vec((0..SETTINGS.len(), 0u32..120), 1..8),
        ) {
            let sim = SimSystem::with([SimArray::new("md0", &[3, 5, 8])]);
            let _ = change(&sim, None, &assigned(&before));
            let (old, writes) = (shown(&sim), sim.world().written.len());
            let wanted = assigned(&pairs);
            match change(&sim, None, &wanted) {
                Ok(_) => {
                    let array = Array::read(&sim, "md0").unwrap();
                    for one in &wanted {
                        prop_assert_eq!(one.setting.of(&array.settings), one.value);
                    }
                }
                Err(error) => {
                    prop_assert_eq!(error.exit_code(), crate::error::exit::REFUSED);
                    prop_assert_eq!(sim.world().written.len(), writes);
                    prop_assert_eq!(shown(&sim), old);
                }
            }
        }
    }

    #[test]
    fn the_defaults_are_the_module_s() {
        let sim = SimSystem::with([SimArray::new("md0", &[3, 5])]);
        let array = Array::read(&sim, "md0").unwrap();
        for setting in &SETTINGS {
            assert_eq!(setting.of(&array.settings), setting.default(&array));
        }
    }

    #[test]
    fn what_the_kernel_refuses_is_taken_back() {
        let sim = SimSystem::with([SimArray::new("md0", &[3, 5])]);
        let old = shown(&sim);
        sim.world().refuse("/sys/block/md0/md/par/hold");
        let wanted = ["up_threshold=90", "down_threshold=80", "hold=5"];
        let wanted: Vec<Assignment> = wanted.iter().map(|text| text.parse().unwrap()).collect();
        let error = change(&sim, None, &wanted).unwrap_err();
        assert!(
            error.to_string().contains("does not take hold=5"),
            "{error}"
        );
        assert_eq!(shown(&sim), old);
    }
}
