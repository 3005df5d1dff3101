// SPDX-License-Identifier: GPL-2.0
//! Settings that go together. What each of them saves and costs is measured by the policy's own
//! code: see the table in Documentation/paradm.md.

use super::setting::{Assignment, Setting, Value};
use crate::array::Settings;
use crate::output::{Align, Style, Table, Text};
use serde::Serialize;

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, clap::ValueEnum)]
#[serde(rename_all = "lowercase")]
pub enum Preset {
    /// Disks sleep while the low gear can bear it: requests may take longer
    Quiet,
    /// The module's defaults
    Balanced,
    /// Shift up early and stay up: requests are quick
    Fast,
}

/// All presets set the same, so that one replaces the other.
const NAMES: [&str; 6] = [
    "policy",
    "up_threshold",
    "down_threshold",
    "up_wait",
    "hold",
    "window_short",
];

impl Preset {
    const ALL: [Preset; 3] = [Preset::Quiet, Preset::Balanced, Preset::Fast];

    pub fn name(self) -> &'static str {
        match self {
            Preset::Quiet => "quiet",
            Preset::Balanced => "balanced",
            Preset::Fast => "fast",
        }
    }

    /// In the order of [`NAMES`], without the policy, which is auto.
    fn numbers(self) -> [u32; 5] {
        match self {
            Preset::Quiet => [90, 75, 1000, 60, 10],
            Preset::Balanced => [70, 50, 250, 60, 3],
            Preset::Fast => [50, 30, 100, 600, 3],
        }
    }

    pub fn assignments(self) -> Vec<Assignment> {
        let values = [Value::Word("auto")]
            .into_iter()
            .chain(self.numbers().map(Value::Number));
        let settings = NAMES.iter().filter_map(|name| Setting::named(name));
        settings
            .zip(values)
            .map(|(setting, value)| Assignment { setting, value })
            .collect()
    }

    /// The preset that the settings are; other settings do not count.
    pub fn of(settings: &Settings) -> Option<Self> {
        Self::ALL.into_iter().find(|preset| {
            preset
                .assignments()
                .iter()
                .all(|wanted| wanted.setting.of(settings) == wanted.value)
        })
    }
}

/// What there is.
#[derive(Debug, Serialize)]
pub struct Presets {
    presets: Vec<PresetSettings>,
}

#[derive(Debug, Serialize)]
struct PresetSettings {
    name: Preset,
    settings: serde_json::Map<String, serde_json::Value>,
}

impl Presets {
    pub fn all() -> Self {
        let settings = |preset: Preset| {
            let pairs = preset.assignments().into_iter().map(|wanted| {
                let value = match wanted.value {
                    Value::Number(number) => number.into(),
                    Value::Word(word) => word.into(),
                };
                (wanted.setting.name.to_owned(), value)
            });
            pairs.collect()
        };
        Presets {
            presets: Preset::ALL
                .map(|name| PresetSettings {
                    name,
                    settings: settings(name),
                })
                .into(),
        }
    }
}

impl Text for Presets {
    fn text(&self, style: Style) -> String {
        let columns = Preset::ALL.map(Preset::name);
        let [quiet, balanced, fast] = columns.map(|name| (name, Align::Right));
        let mut table = Table::new([("setting", Align::Left), quiet, balanced, fast]);
        for (at, name) in NAMES.iter().enumerate() {
            let [quiet, balanced, fast] = Preset::ALL.map(|preset| {
                let all = preset.assignments();
                all.get(at)
                    .map(|wanted| format!("{} {}", wanted.value, wanted.setting.unit))
                    .unwrap_or_default()
                    .trim()
                    .to_owned()
            });
            table.row([(*name).to_owned(), quiet, balanced, fast]);
        }
        table.render("", style)
    }
}
