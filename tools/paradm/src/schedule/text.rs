// SPDX-License-Identifier: GPL-2.0

use super::{Hour, Schedule, Schedules};
use crate::output::{Align, Style, Table, Text, units};

impl Text for Schedules {
    fn text(&self, style: Style) -> String {
        if self.arrays.is_empty() {
            return "no par array runs here\n".to_owned();
        }
        let arrays = self.arrays.iter();
        let texts: Vec<_> = arrays
            .map(|one| array_text(one, &self.zone, style))
            .collect();
        texts.join("\n")
    }
}

fn array_text(schedule: &Schedule, zone: &str, style: Style) -> String {
    let name = style.bold(&schedule.name);
    if schedule.hours.iter().all(|hour| hour.days == 0) {
        return format!("{name}: no hour's load is known yet; an hour counts once it is over\n");
    }
    let lead = units::seconds(schedule.lead_seconds);
    let mut table = Table::new([
        (zone, Align::Left),
        ("mean", Align::Right),
        ("peak", Align::Right),
        ("days", Align::Right),
        ("gear", Align::Right),
        ("shift up", Align::Left),
    ]);
    for hour in &schedule.hours {
        table.row(cells(hour));
    }
    format!(
        "{name}: shifts up begin {lead} before the hour\n{}",
        table.render("  ", style)
    )
}

fn cells(hour: &Hour) -> [String; 6] {
    let percent = |load: Option<f64>| load.map_or("-".to_owned(), |load| format!("{load:.0} %"));
    [
        hour.starts.clone(),
        percent(hour.mean),
        percent(hour.peak),
        hour.days.to_string(),
        hour.gear.map_or("-".to_owned(), |gear| gear.to_string()),
        hour.up_at.clone().unwrap_or_default(),
    ]
}
