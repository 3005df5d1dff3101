// SPDX-License-Identifier: GPL-2.0
//! A plan, for people; and what follows from it, also where plain RAID wins.

use super::{Found, Load, Outcome, Payback, Plan, Raid, Rival};
use crate::output::{Align, Style, Table, Text, units};
use crate::policy_ffi::Geometry;

/// Starts a day that makers' 50000 in 5 years allow.
const RATED: f64 = 50_000.0 / (5.0 * 365.0);

fn watts(watts: f64) -> String {
    format!("{watts:.1} W")
}

/// Of a year at these watts.
fn kwh(watts: f64) -> String {
    format!("{:.0} kWh", watts * 8.766)
}

fn latency(ms: f64) -> String {
    if ms < 1000.0 {
        format!("{ms:.1} ms")
    } else {
        format!("{:.1} s", ms / 1000.0)
    }
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

    fn parts(&self) -> String {
        let mut parts = self.log_size.map_or(String::new(), |size| {
            let size = units::bytes(size.bytes());
            format!(", with {size} of each disk for a write log")
        });
        if self.has_slots() {
            parts += &format!(", with images of {} %", self.image_share);
        }
        parts
    }

    fn has_slots(&self) -> bool {
        self.image_share < Geometry::SHARE_ALL
    }

    /// Plain RAID of fewer disks that holds as much.
    fn fewer(&self) -> Option<&Raid> {
        (self.few.disks < self.raid.disks).then_some(&self.few)
    }

    fn space(&self, style: Style) -> String {
        let mut table = Table::new([
            ("", Align::Left),
            ("capacity", Align::Right),
            ("awake", Align::Right),
            ("asleep", Align::Right),
            ("idle", Align::Right),
            ("idle a year", Align::Right),
            ("all at work", Align::Right),
        ]);
        let year = |watts| self.year(watts);
        for gear in &self.by_gear {
            table.row([
                format!("par, gear {} of {}", gear.gear, self.gears.top()),
                units::bytes(self.bytes),
                gear.gear.to_string(),
                gear.asleep.to_string(),
                watts(gear.idle_watts),
                year(gear.idle_watts),
                watts(gear.active_watts),
            ]);
        }
        for raid in std::iter::once(&self.raid).chain(self.fewer()) {
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
                year(raid.idle_watts),
                busy,
            ]);
            let asleep = watts(raid.asleep_watts);
            table.row([
                format!("{name}, asleep"),
                holds,
                none(),
                disks,
                asleep,
                year(raid.asleep_watts),
                "-".to_owned(),
            ]);
        }
        table.render("  ", style)
    }

    fn simulated(&self, load: &Load, style: Style) -> String {
        let mut table = Table::new([
            ("", Align::Left),
            ("a day", Align::Right),
            ("a year", Align::Right),
            ("starts a day", Align::Right),
            ("50 % within", Align::Right),
            ("99 % within", Align::Right),
        ]);
        for is in load.outcomes.iter().filter(|is| self.shows(is.rival)) {
            table.row([
                self.name(is.rival),
                format!("{:.0} Wh", is.wh_per_day),
                self.year(is.wh_per_day / 24.0),
                format!("{:.1}", is.starts_per_day),
                latency(is.p50_ms),
                latency(is.p99_ms),
            ]);
        }
        let (what, seconds) = (&load.what, units::seconds(load.seconds));
        let misses = if self.has_slots() {
            format!(
                ", {} that woke disks for data without an image",
                units::count(load.misses, "request")
            )
        } else {
            String::new()
        };
        format!(
            "{what}: {} in {seconds}; par is below its top gear {:.0} % of the time, {}{misses}\n{}",
            units::count(load.requests, "request"),
            load.low_percent,
            units::count(load.shifts, "shift"),
            table.render("  ", style)
        )
    }

    /// The energy of a year at these watts, and its price.
    fn year(&self, watts: f64) -> String {
        let energy = kwh(watts);
        let price = self.energy_price(watts);
        price.map_or(energy.clone(), |price| format!("{energy}, {price:.2}"))
    }

    pub(super) fn shows(&self, rival: Rival) -> bool {
        self.fewer().is_some() || !matches!(rival, Rival::Few | Rival::FewRest)
    }
}

/// `, 190.00 cheaper`
fn cheaper(all: Option<f64>, few: Option<f64>) -> String {
    match (all, few) {
        (Some(all), Some(few)) => format!(", is {:.2} cheaper", all - few),
        _ => String::new(),
    }
}

/// Where plain RAID wins is said first.
pub(super) fn verdicts(plan: &Plan) -> Vec<String> {
    let (level, few, all) = (plan.level, &plan.few, &plan.raid);
    let (low, idle) = plan
        .by_gear
        .first()
        .map_or((0, 0.0), |gear| (gear.gear, gear.idle_watts));
    let alike = if plan.log_size.is_some() || plan.has_slots() {
        "no less"
    } else {
        "the same"
    };
    let when = if few.idle_watts <= idle {
        format!("{} disks are fast enough at all times", few.disks)
    } else {
        "the array is seldom idle".to_owned()
    };
    let mut said = vec![
        if plan.fewer().is_some() {
            format!(
                "{level} of {} disks has {alike} capacity with {} fewer{}, and draws {} when idle, par in gear {low} {}: \
                 it is the better choice if {when}",
                few.disks,
                units::count(all.disks - few.disks, "disk"),
                cheaper(all.price, few.price),
                watts(few.idle_watts),
                watts(idle),
            )
        } else {
            format!(
                "{level} of fewer than {} disks has less capacity",
                all.disks
            )
        },
        format!(
            "{level} of all {} disks has {} more capacity, and draws {} with all of them stopped, par in gear {low} {}; \
             but the next request then waits until disks have started",
            all.disks,
            units::bytes(all.bytes.saturating_sub(plan.bytes)),
            watts(all.asleep_watts),
            watts(idle)
        ),
    ];
    match &plan.load {
        Some(load) => said.extend(on_load(plan, load)),
        None => said.extend(misses(plan)),
    }
    said.extend(plan.paybacks.iter().map(|payback| pays(plan, payback)));
    said
}

/// When what is saved has paid for what par costs more.
fn pays(plan: &Plan, is: &Payback) -> String {
    let rival = plan.name(is.rival);
    let when = if plan.load.is_some() {
        "on this load"
    } else {
        "if nothing is ever asked of either"
    };
    let extra = is
        .extra_price
        .map_or(String::new(), |extra| match is.rival {
            Rival::Few | Rival::FewRest => format!(", and its disks cost {extra:.2} more"),
            _ => format!(", and lacks capacity for {extra:.2}"),
        });
    let end = match (is.extra_price, is.years) {
        (None, _) => String::new(),
        (Some(_), None) => ": that is never paid back".to_owned(),
        (Some(_), Some(years)) => format!(": paid back in {years:.1} years"),
    };
    let saved = is.saved_per_year;
    let saves = if saved > 0.0 {
        format!("saves {saved:.2} of energy a year")
    } else {
        format!("saves no energy, but costs {:.2} more a year", -saved)
    };
    format!("beside {rival}, par {saves} {when}{extra}{end}")
}

/// What power does not include: reads of data without images.
fn misses(plan: &Plan) -> Option<String> {
    let wakes = if plan.log_size.is_some() {
        "a read of data without an image"
    } else {
        "a read of data without an image, or a write to it,"
    };
    plan.has_slots().then(|| {
        format!(
            "{} % of the data can have images at a time: in a low gear {wakes} waits until disks have started, so the \
             power of par is a lower bound, for requests that all find images",
            plan.image_share
        )
    })
}

fn on_load(plan: &Plan, load: &Load) -> Vec<String> {
    let (Some(par), Some(raid)) = (load.of(Rival::Par), load.of(Rival::Raid)) else {
        return Vec::new();
    };
    let saved = 100.0 * (1.0 - par.wh_per_day / raid.wh_per_day);
    let mut said = Vec::new();
    if plan.has_slots() {
        said.push(
            "in the beginning of the simulation all data is old, and none has an image: later days may have fewer starts"
                .to_owned(),
        );
    }
    said.push(if saved > 0.5 {
        format!(
            "on this load par uses {saved:.0} % less energy than {}",
            plan.name(Rival::Raid)
        )
    } else {
        format!(
            "on this load par uses no less energy than {}: it is not worth its capacity here",
            plan.name(Rival::Raid)
        )
    });
    said.extend(thriftier(plan, load, par));
    said.extend(
        load.outcomes
            .iter()
            .filter(|is| plan.shows(is.rival))
            .filter_map(|is| worn(plan, is)),
    );
    said
}

/// Plain RAID that uses less than par. What may sleep and never does is what is always awake.
fn thriftier(plan: &Plan, load: &Load, par: &Outcome) -> Vec<String> {
    let better = |rival, awake| {
        let is: &Outcome = load.of(rival)?;
        let sleeps = load
            .of(awake)
            .is_none_or(|awake: &Outcome| rival == awake.rival || is.wh_per_day < awake.wh_per_day);
        let slower = is.p99_ms > par.p99_ms * 1.05;
        (plan.shows(rival) && sleeps && is.wh_per_day < par.wh_per_day).then(|| {
            format!(
                "{} uses less energy than par, {:.0} Wh a day instead of {:.0}, and is {}: 99 % of the requests end \
                 within {}, with par within {}",
                plan.name(rival),
                is.wh_per_day,
                par.wh_per_day,
                if slower { "slower" } else { "not slower" },
                latency(is.p99_ms),
                latency(par.p99_ms)
            )
        })
    };
    let plain = [
        (Rival::Raid, Rival::Raid),
        (Rival::RaidRest, Rival::Raid),
        (Rival::Few, Rival::Few),
        (Rival::FewRest, Rival::Few),
    ];
    let found = plain.map(|(rival, awake)| better(rival, awake));
    found.into_iter().flatten().collect()
}

fn worn(plan: &Plan, is: &Outcome) -> Option<String> {
    (is.starts_per_day > RATED).then(|| {
        format!(
            "{} starts a disk {:.0} times a day: the usual rating of 50000 starts is used up in {:.1} years",
            plan.name(is.rival),
            is.starts_per_day,
            50_000.0 / is.starts_per_day / 365.0
        )
    })
}

impl Text for Plan {
    fn text(&self, style: Style) -> String {
        let name = style.bold(self.name(Rival::Par));
        let mut text = format!(
            "{name} of {} disks{}: {}, {:.0} % of their size{}\n{}",
            self.disks.len(),
            self.price
                .map_or(String::new(), |price| format!(" for {price:.2}")),
            units::bytes(self.bytes),
            self.share_percent,
            self.parts(),
            self.space(style)
        );
        if let Some(load) = &self.load {
            text += &self.simulated(load, style);
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

impl Found {
    fn row(plan: &Plan, priced: bool, shared: bool) -> Vec<String> {
        let least = plan.disks.iter().min().copied().unwrap_or(0);
        let idle = |gear: Option<&super::Gear>| {
            gear.map_or_else(|| "-".to_owned(), |gear| watts(gear.idle_watts))
        };
        let mut row = vec![
            format!("{}:{}", plan.level, plan.gears),
            format!("{} x {}", plan.disks.len(), units::bytes(least)),
            units::bytes(plan.bytes),
            idle(plan.by_gear.first()),
            idle(plan.by_gear.last()),
        ];
        if shared {
            row.push(format!("{} %", plan.image_share));
        }
        if priced {
            row.push(
                plan.price
                    .map_or(String::new(), |price| format!("{price:.2}")),
            );
        }
        if let Some(par) = plan.par() {
            row.push(format!("{:.0} Wh", par.wh_per_day));
            row.push(format!("{:.1}", par.starts_per_day));
            row.push(latency(par.p99_ms));
        }
        row
    }
}

impl Text for Found {
    fn text(&self, style: Style) -> String {
        let Some(best) = self.plans.first() else {
            return String::new();
        };
        let mut heads = vec![
            ("layout", Align::Left),
            ("disks", Align::Right),
            ("capacity", Align::Right),
            ("idle, lowest gear", Align::Right),
            ("top gear", Align::Right),
        ];
        let (priced, shared) = (best.price.is_some(), self.plans.iter().any(Plan::has_slots));
        if shared {
            heads.push(("images", Align::Right));
        }
        if priced {
            heads.push(("price", Align::Right));
        }
        if best.load.is_some() {
            heads.extend(["a day", "starts a day", "99 % within"].map(|head| (head, Align::Right)));
        }
        let mut table = Table::new(heads);
        for plan in &self.plans {
            table.row(Found::row(plan, priced, shared));
        }
        let misses = if shared && best.load.is_none() {
            "with images of less than 100 %, requests for other data wake disks, and then the array uses more than is \
             listed\n"
        } else {
            ""
        };
        let plain = self.plain.as_ref().map_or(String::new(), |raid| {
            let price = raid.price.map_or(String::new(), |price| format!(" for {price:.2}"));
            format!(
                "{} of {} disks{price} holds as much as well, and draws {} when idle ({} a year): it is the better choice if it \
                 is fast enough at all times\n",
                best.level,
                raid.disks,
                watts(raid.idle_watts),
                best.year(raid.idle_watts)
            )
        });
        format!(
            "{plain}arrays that hold {}, the one that uses least first; more disks make the top gear faster\n{misses}{}\n{}",
            units::bytes(self.data_bytes),
            table.render("  ", style),
            best.text(style)
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn latencies_have_a_unit_that_suits() {
        assert_eq!(
            [0.04, 999.94, 15_728.6].map(latency),
            ["0.0 ms", "999.9 ms", "15.7 s"]
        );
    }
}
