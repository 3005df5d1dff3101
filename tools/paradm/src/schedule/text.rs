// SPDX-License-Identifier: GPL-2.0

use super::{Changed, Hour, Right, Schedule, Schedules};
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
    if schedule.days == 0 {
        return format!("{name}: no hour's load is known yet; an hour counts once it is over\n");
    }
    let mut table = Table::new([
        (zone, Align::Left),
        ("mean", Align::Right),
        ("peak", Align::Right),
        ("days", Align::Right),
        ("gear", Align::Right),
        ("shift up", Align::Left),
    ]);
    let mut before = None;
    for hour in &schedule.hours {
        table.row(cells(hour, before));
        before = hour.gear;
    }
    format!(
        "{name}: {}\n{}{}",
        followed(schedule),
        error(schedule),
        table.render("  ", style)
    )
}

fn followed(schedule: &Schedule) -> &'static str {
    match (schedule.follows, schedule.good_enough) {
        (true, true) => "follows this schedule while paradm daemon runs",
        (true, false) => {
            "will follow this schedule once a week is known and 80 % of its hours are predicted right"
        }
        (false, true) => "does not follow this schedule; run `paradm schedule apply` for that",
        (false, false) => {
            "does not follow this schedule, which is good enough once a week is known and 80 % of its hours are predicted right"
        }
    }
}

fn error(schedule: &Schedule) -> String {
    let Some(Right {
        hours,
        percent,
        percent_alike,
    }) = schedule.right
    else {
        return String::new();
    };
    let types: Vec<_> = schedule
        .day_types
        .iter()
        .map(|days| days.join(" "))
        .collect();
    let alike = match types.as_slice() {
        [_] => String::new(),
        _ => format!(" ({percent_alike:.0} % if all days were alike)"),
    };
    format!(
        "  the gear was right in {percent:.0} % of {hours} hours{alike}, each predicted from the other days\n  \
         days alike: {}\n  shifts up begin {} before the hour\n",
        types.join("; "),
        units::seconds(schedule.lead_seconds),
    )
}

fn cells(hour: &Hour, before: Option<u32>) -> [String; 6] {
    let percent = |load: Option<f64>| load.map_or("-".to_owned(), |load| format!("{load:.0} %"));
    let up = match &hour.up_at {
        Some(at) => at.clone(),
        None if before.is_some() && hour.gear > before => "when load comes near".to_owned(),
        None => String::new(),
    };
    [
        hour.starts.clone(),
        percent(hour.mean),
        percent(hour.peak),
        hour.days.to_string(),
        hour.gear.map_or("-".to_owned(), |gear| gear.to_string()),
        up,
    ]
}

impl Text for Changed {
    fn text(&self, _: Style) -> String {
        let name = &self.name;
        let limits = format!(
            "its gears are {} to {}",
            self.limits.min_gear, self.limits.max_gear
        );
        match (self.follows, self.nothing) {
            (true, false) => format!("{name} follows its schedule while paradm daemon runs\n"),
            (true, true) => format!("{name} follows its schedule already\n"),
            (false, true) => format!("{name} does not follow its schedule\n"),
            (false, false) if self.changed_since => format!(
                "{name} does not follow its schedule any more; {limits}, which somebody has set meanwhile\n"
            ),
            (false, false) => {
                format!("{name} does not follow its schedule any more; {limits}, as before\n")
            }
        }
    }
}
