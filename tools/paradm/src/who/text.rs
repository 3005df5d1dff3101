// SPDX-License-Identifier: GPL-2.0
//! `paradm who` for people.

use super::log::{Entry, Load, What};
use super::process::shown;
use super::report::{Day, Report, Sleeper, Sleepers, Total};
use super::tally::{ArrayUse, Use, Watched};
use super::watch::Happening;
use crate::array::PowerState;
use crate::output::{Align, Style, Table, Text, printable, units};
use jiff::Timestamp;
use jiff::tz::TimeZone;

impl Text for Report {
    fn text(&self, style: Style) -> String {
        let mut text = String::new();
        if self.arrays.is_empty() {
            text += "no par array runs here\n";
        }
        for array in &self.arrays {
            text += &self.array(array, style);
        }
        if !self.complete && !self.arrays.is_empty() {
            text += "without root, files of others' processes are not seen\n";
        }
        match self.log_since {
            None => text += "there is no log: `paradm who --log` writes it\n",
            Some(_) if self.days.is_empty() => text += "the log has nothing of these days\n",
            Some(_) => text += &days(&self.days, style),
        }
        text
    }
}

impl Report {
    fn array(&self, array: &Sleepers, style: Style) -> String {
        let mut table = Table::new([
            ("member", Align::Right),
            ("disk", Align::Left),
            ("power", Align::Left),
            ("spin-ups", Align::Right),
            ("left", Align::Right),
            ("last woken", Align::Right),
            ("by", Align::Left),
        ]);
        for sleeper in &array.sleepers {
            let ago = sleeper.last_wake.map(|time| {
                let gone = u64::try_from(self.time - time).unwrap_or(0);
                format!("{} ago", units::seconds(gone))
            });
            table.row([
                sleeper.number.to_string(),
                sleeper.device.clone(),
                power(sleeper, style),
                sleeper.spin_ups.to_string(),
                sleeper.spins_left.to_string(),
                ago.unwrap_or_else(|| "-".to_owned()),
                cause(sleeper),
            ]);
        }
        let mut text = format!(
            "{}: sleepers, gear {}\n",
            style.bold(&array.name),
            array.gear
        );
        text += &table.render("  ", style);
        for process in &array.open {
            text += &format!("  open: {process}\n");
        }
        text
    }
}

fn power(sleeper: &Sleeper, style: Style) -> String {
    match (sleeper.power_state, sleeper.asleep) {
        (PowerState::Active, true) => style.attention("active, left out"),
        (PowerState::Active, false) => "active".to_owned(),
        (PowerState::Waking, _) => "waking".to_owned(),
        (PowerState::Asleep, _) => "asleep".to_owned(),
        (PowerState::None, _) => "-".to_owned(),
    }
}

fn cause(sleeper: &Sleeper) -> String {
    match &sleeper.process {
        _ if sleeper.last_wake.is_none() => String::new(),
        None => printable(&sleeper.last_wake_cause),
        Some(process) => {
            let word = sleeper.last_wake_cause.split(' ').next();
            format!("{} {process}", word.unwrap_or_default())
        }
    }
}

fn days(days: &[Day], style: Style) -> String {
    let mut table = Table::new([
        ("day", Align::Left),
        ("array", Align::Left),
        ("wakes", Align::Right),
        ("requests", Align::Right),
        ("by", Align::Left),
    ]);
    for day in days {
        for total in &day.totals {
            table.row([
                day.date.clone(),
                total.array.clone(),
                total.wakes.to_string(),
                total.requests.to_string(),
                by_and_files(total),
            ]);
        }
    }
    table.render("", style)
}

fn by_and_files(total: &Total) -> String {
    let files: Vec<_> = total.files.iter().map(|file| shown(file)).collect();
    if files.is_empty() {
        return total.by.clone();
    }
    format!("{}: {}", total.by, files.join(" "))
}

impl Happening {
    /// A line for each, on the administrator's clock.
    pub fn line(&self, zone: &TimeZone) -> String {
        match self {
            Happening::Entry(entry) => format!("{} {}", clock(entry.time, zone), of_entry(entry)),
            Happening::Decision(decision) => format!(
                "{} {}: the policy goes from gear {} to {} ({}, {:.1} % busy){}",
                clock(decision.time, zone),
                decision.array,
                decision.gear,
                decision.decided,
                decision.reason,
                decision.busy_percent,
                of_load(&decision.load)
            ),
        }
    }
}

fn clock(time: i64, zone: &TimeZone) -> String {
    let time = Timestamp::from_second(time).unwrap_or(Timestamp::UNIX_EPOCH);
    time.to_zoned_datetime(zone.clone())
        .strftime("%H:%M:%S")
        .to_string()
}

fn of_entry(entry: &Entry) -> String {
    let place = format!("{} member {} ({})", entry.array, entry.member, entry.device);
    match &entry.what {
        What::Touch { process, .. } => {
            format!("{place} gets requests past the array from {process}")
        }
        What::Wake {
            cause,
            process,
            load,
        } => {
            let by = match process {
                Some(process) => {
                    let word = cause.split(' ').next().unwrap_or_default();
                    format!("{word} {process}")
                }
                None => printable(cause),
            };
            format!("{place} was woken: {by}{}", of_load(load))
        }
    }
}

fn of_load(load: &[Load]) -> String {
    if load.is_empty() {
        return String::new();
    }
    let who: Vec<_> = load
        .iter()
        .map(|load| format!("{}, {} requests", load.process, load.requests))
        .collect();
    format!("; loaded by {}", who.join("; "))
}

impl Text for Watched {
    fn text(&self, style: Style) -> String {
        let mut text = String::new();
        for array in &self.arrays {
            text += &self.array(array, style);
        }
        if self.lost > 0 {
            text += &format!("{} events came too fast, and are not counted\n", self.lost);
        }
        text
    }
}

impl Watched {
    fn array(&self, array: &ArrayUse, style: Style) -> String {
        let mut text = format!(
            "{}, in {}: wakes {}, processes past the array {}, on it {}\n",
            style.bold(&array.name),
            units::seconds(self.seconds),
            array.wakes.len(),
            array.touches.len(),
            array.users.len()
        );
        let touches = array.touches.iter();
        let touches = touches.map(|touched| (touched.device.as_str(), &touched.usage));
        let users = array.users.iter().map(|usage| (array.name.as_str(), usage));
        let uses: Vec<_> = touches.chain(users).collect();
        if !uses.is_empty() {
            text += &table(&uses).render("  ", style);
        }
        text
    }
}

fn table(uses: &[(&str, &Use)]) -> Table {
    let mut table = Table::new([
        ("device", Align::Left),
        ("reads", Align::Right),
        ("", Align::Right),
        ("writes", Align::Right),
        ("", Align::Right),
        ("commands", Align::Right),
        ("changes", Align::Right),
        ("by", Align::Left),
    ]);
    for (device, usage) in uses {
        table.row([
            (*device).to_owned(),
            usage.reads.to_string(),
            units::bytes(usage.read_bytes),
            usage.writes.to_string(),
            units::bytes(usage.write_bytes),
            usage.commands.to_string(),
            usage.changes.to_string(),
            usage.process.to_string(),
        ]);
    }
    table
}
