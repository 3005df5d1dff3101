// SPDX-License-Identifier: GPL-2.0
//! A plan, for people; and what follows from it, also where plain RAID wins.

use super::{Found, Load, Outcome, Plan, Rival};
use crate::output::{Align, Style, Table, Text, units};

/// Starts a day that makers' 50000 in 5 years allow.
const RATED: f64 = 50_000.0 / (5.0 * 365.0);

fn watts(watts: f64) -> String {
    format!("{watts:.1} W")
}

impl Plan {
    fn name(&self, rival: Rival) -> String {
        let (level, all, few) = (self.level, self.raid.disks, self.few.disks);
        match rival {
            Rival::Par => format!("par {level}:{}", self.gears),
            Rival::Top => "par, always in its top gear".to_owned(),
            Rival::Raid => format!("{level} of {all}, awake"),
            Rival::RaidRest => format!("{level} of {all}, asleep after 20 min"),
            Rival::Few => format!("{level} of {few}, awake"),
            Rival::FewRest => format!("{level} of {few}, asleep after 20 min"),
        }
    }

    fn space(&self, style: Style) -> String {
        let mut table = Table::new([
            ("", Align::Left),
            ("holds", Align::Right),
            ("awake", Align::Right),
            ("asleep", Align::Right),
            ("idle", Align::Right),
            ("all at work", Align::Right),
        ]);
        for gear in &self.by_gear {
            table.row([
                format!("par, gear {} of {}", gear.gear, self.gears.top()),
                units::bytes(self.bytes),
                gear.gear.to_string(),
                gear.asleep.to_string(),
                watts(gear.idle_watts),
                watts(gear.active_watts),
            ]);
        }
        for raid in [&self.raid, &self.few] {
            let name = format!("{} of {}", self.level, raid.disks);
            let holds = units::bytes(raid.bytes);
            let (disks, idle) = (raid.disks.to_string(), watts(raid.idle_watts));
            let none = || "0".to_owned();
            let busy = watts(raid.active_watts);
            table.row([
                format!("{name}, awake"),
                holds.clone(),
                disks.clone(),
                none(),
                idle,
                busy,
            ]);
            let asleep = watts(raid.asleep_watts);
            table.row([
                format!("{name}, asleep"),
                holds,
                none(),
                disks,
                asleep,
                "-".to_owned(),
            ]);
        }
        table.render("  ", style)
    }

    fn energy(&self, load: &Load, style: Style) -> String {
        let mut table = Table::new([
            ("", Align::Left),
            ("a day", Align::Right),
            ("a year", Align::Right),
            ("starts a day", Align::Right),
            ("half within", Align::Right),
            ("99 % within", Align::Right),
        ]);
        for is in &load.outcomes {
            table.row([
                self.name(is.rival),
                format!("{:.0} Wh", is.wh_per_day),
                format!("{:.0} kWh", is.wh_per_day * 0.365),
                format!("{:.1}", is.starts_per_day),
                format!("{:.1} ms", is.p50_ms),
                format!("{:.1} ms", is.p99_ms),
            ]);
        }
        let (what, seconds) = (&load.what, units::seconds(load.seconds));
        format!(
            "{what}: {} in {seconds}; par is below its top gear {:.0} % of the time, with {}\n  simulated with disks of 16 TB like those of Documentation/spindle.md, but these watts, and 512K chunks\n{}",
            units::count(load.requests, "request"),
            load.low_percent,
            units::count(load.shifts, "shift"),
            table.render("  ", style)
        )
    }
}

/// Where plain RAID wins comes first: it costs nothing to take it.
pub(super) fn verdicts(plan: &Plan) -> Vec<String> {
    let (level, few, all) = (plan.level, &plan.few, &plan.raid);
    let low = plan.by_gear.first().map_or(0.0, |gear| gear.idle_watts);
    let mut said = vec![
        format!(
            "a {level} of {} disks holds as much, saves {}, and takes {} awake where par in its lowest gear takes {}: \
             take that if the speed of {} disks suffices at all times",
            few.disks,
            units::count(all.disks - few.disks, "disk"),
            watts(few.idle_watts),
            watts(low),
            few.disks
        ),
        format!(
            "a {level} of all {} disks holds {} more; asleep as a whole it takes {} where par in its lowest gear takes {}, \
             but each request then waits for its disks to start",
            all.disks,
            units::bytes(all.bytes.saturating_sub(plan.bytes)),
            watts(all.asleep_watts),
            watts(low)
        ),
    ];
    if let Some(load) = &plan.load {
        said.extend(on_load(plan, load));
    }
    said
}

fn on_load(plan: &Plan, load: &Load) -> Vec<String> {
    let of = |rival| load.outcomes.iter().find(|is| is.rival == rival);
    let (Some(par), Some(raid)) = (of(Rival::Par), of(Rival::Raid)) else {
        return Vec::new();
    };
    let saved = 100.0 * (1.0 - par.wh_per_day / raid.wh_per_day);
    let name = |is: &Outcome| plan.name(is.rival);
    let mut said = vec![if saved > 0.5 {
        format!(
            "on this load par takes {saved:.0} % less energy than the {}",
            name(raid)
        )
    } else {
        format!(
            "on this load par saves nothing against the {}: do not take it for that",
            name(raid)
        )
    }];
    let plain = [Rival::Raid, Rival::RaidRest, Rival::Few, Rival::FewRest];
    for is in plain.into_iter().filter_map(of) {
        if is.wh_per_day < par.wh_per_day {
            let slower = if is.p99_ms > par.p99_ms * 1.05 {
                "slower"
            } else {
                "no slower"
            };
            said.push(format!(
                "the {} takes less energy than par ({:.0} Wh a day, not {:.0}), and is {slower}: 99 % within {:.1} ms, \
                 par's within {:.1} ms",
                name(is),
                is.wh_per_day,
                par.wh_per_day,
                is.p99_ms,
                par.p99_ms
            ));
        }
    }
    for is in &load.outcomes {
        if is.starts_per_day > RATED {
            said.push(format!(
                "the {} starts a disk {:.0} times a day: 50000 starts, what most are rated for, are over in {:.1} years",
                name(is),
                is.starts_per_day,
                50_000.0 / is.starts_per_day / 365.0
            ));
        }
    }
    said
}

impl Text for Plan {
    fn text(&self, style: Style) -> String {
        let name = style.bold(self.name(Rival::Par));
        let mut text = format!(
            "{name} of {} disks: {}, {:.0} % of what they have\n{}",
            self.disks.len(),
            units::bytes(self.bytes),
            self.share_percent,
            self.space(style)
        );
        if let Some(load) = &self.load {
            text += &self.energy(load, style);
        }
        for warning in &self.warnings {
            text += &format!("{}: {warning}\n", style.attention("warning"));
        }
        for verdict in &self.verdicts {
            text += &format!("* {verdict}\n");
        }
        text
    }
}

impl Text for Found {
    fn text(&self, style: Style) -> String {
        let mut table = Table::new([
            ("layout", Align::Left),
            ("disks", Align::Right),
            ("holds", Align::Right),
            ("lowest gear", Align::Right),
            ("top gear", Align::Right),
            ("a day", Align::Right),
            ("99 % within", Align::Right),
        ]);
        for plan in &self.plans {
            let idle = |gear: Option<&super::Gear>| {
                gear.map_or("-".to_owned(), |gear| watts(gear.idle_watts))
            };
            let par = plan.load.as_ref().and_then(|load| load.outcomes.first());
            let told = |value: Option<String>| value.unwrap_or_else(|| "-".to_owned());
            table.row([
                format!("{}:{}", plan.level, plan.gears),
                plan.disks.len().to_string(),
                units::bytes(plan.bytes),
                idle(plan.by_gear.first()),
                idle(plan.by_gear.last()),
                told(par.map(|is| format!("{:.0} Wh", is.wh_per_day))),
                told(par.map(|is| format!("{:.1} ms", is.p99_ms))),
            ]);
        }
        let best = self
            .plans
            .first()
            .map_or(String::new(), |plan| plan.text(style));
        format!(
            "arrays that hold {}, the thriftiest first; those with more disks are faster in their top gear\n{}\n{best}",
            units::bytes(self.data_bytes),
            table.render("  ", style)
        )
    }
}
