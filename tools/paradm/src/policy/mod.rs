// SPDX-License-Identifier: GPL-2.0
//! `paradm policy`: an array's settings, of the policy and the others.

mod change;
mod preset;
mod setting;

pub use change::{Change, Changed, change};
pub use preset::{Preset, Presets};
pub use setting::{Assignment, SETTINGS, Setting, Value};

use crate::array::{self, Array};
use crate::error::Result;
use crate::output::{Align, Style, Table, Text};
use crate::system::System;
use serde::Serialize;

#[derive(Debug, Serialize)]
pub struct Policies {
    pub arrays: Vec<Policy>,
}

#[derive(Debug, Serialize)]
pub struct Policy {
    pub name: String,
    /// `None`: the settings match no preset.
    pub preset: Option<Preset>,
    pub settings: Vec<Shown>,
}

#[derive(Debug, Serialize)]
pub struct Shown {
    pub name: &'static str,
    pub value: Value,
    pub unit: &'static str,
    pub default: Value,
    pub about: &'static str,
}

impl Policies {
    pub fn read(system: &dyn System, given: Option<&str>) -> Result<Self> {
        let arrays = array::some(system, given)?;
        Ok(Policies {
            arrays: arrays.iter().map(Policy::of).collect(),
        })
    }
}

impl Policy {
    fn of(array: &Array) -> Self {
        let shown = |setting: &'static Setting| Shown {
            name: setting.name,
            value: setting.of(&array.settings),
            unit: setting.unit,
            default: setting.default(array),
            about: setting.about,
        };
        Policy {
            name: array.name.clone(),
            preset: Preset::of(&array.settings),
            settings: SETTINGS.iter().map(shown).collect(),
        }
    }
}

impl Text for Policies {
    fn text(&self, style: Style) -> String {
        if self.arrays.is_empty() {
            return "no par array runs here\n".to_owned();
        }
        let texts: Vec<_> = self
            .arrays
            .iter()
            .map(|policy| policy_text(policy, style))
            .collect();
        texts.join("\n")
    }
}

fn policy_text(policy: &Policy, style: Style) -> String {
    let preset = match policy.preset {
        Some(preset) => format!("the settings are those of the preset {}", preset.name()),
        None => "the settings match no preset".to_owned(),
    };
    let mut table = Table::new([
        ("setting", Align::Left),
        ("value", Align::Right),
        ("", Align::Left),
        ("default", Align::Right),
        ("", Align::Left),
    ]);
    for shown in &policy.settings {
        let value = if shown.value == shown.default {
            shown.value.to_string()
        } else {
            style.bold(shown.value)
        };
        table.row([
            shown.name.to_owned(),
            value,
            shown.unit.to_owned(),
            shown.default.to_string(),
            style.dim(shown.about),
        ]);
    }
    format!(
        "{}: {preset}\n{}",
        style.bold(&policy.name),
        table.render("  ", style)
    )
}
