// SPDX-License-Identifier: GPL-2.0
//! What is known at this moment, and what the log says of the last days.

use super::log::{self, Entry, What};
use super::process::{Process, identity, process_of_cause};
use super::watch;
use crate::array::{self, Array, PowerState};
use crate::error::Result;
use crate::system::System;
use jiff::Timestamp;
use jiff::civil::Date;
use serde::Serialize;
use std::collections::BTreeMap;
use std::path::Path;

#[derive(Debug, Serialize)]
pub struct Report {
    pub time: i64,
    pub arrays: Vec<Sleepers>,
    /// The last days of the log, the newest first.
    pub days: Vec<Day>,
    /// When the log begins; `None`: there is none.
    pub log_since: Option<i64>,
    /// Files of all processes could be looked at: that needs root.
    pub complete: bool,
}

#[derive(Debug, Serialize)]
pub struct Sleepers {
    pub name: String,
    pub gear: u32,
    pub sleepers: Vec<Sleeper>,
    /// Processes that have files on the array, or a sleeper's device, open.
    pub open: Vec<Process>,
}

#[derive(Debug, Serialize)]
pub struct Sleeper {
    pub number: u32,
    pub device: String,
    pub power_state: PowerState,
    pub asleep: bool,
    pub spin_ups: u64,
    pub spins_left: u64,
    pub last_wake: Option<i64>,
    pub last_wake_cause: String,
    /// The process that the cause names, if it still runs.
    pub process: Option<Process>,
}

#[derive(Debug, PartialEq, Eq, Serialize)]
pub struct Day {
    /// On the administrator's calendar: 2026-11-24.
    pub date: String,
    pub totals: Vec<Total>,
}

#[derive(Debug, PartialEq, Eq, Serialize)]
pub struct Total {
    pub array: String,
    /// A process by its name and unit, or the module's cause.
    pub by: String,
    pub wakes: u64,
    /// Requests past the array.
    pub requests: u64,
}

/// Of `given`, or of all arrays.
pub fn report(system: &dyn System, given: Option<&str>, days: u32) -> Result<Report> {
    let arrays = array::some(system, given)?;
    let mut entries = log::load(system)?;
    let log_since = entries.iter().map(|entry| entry.time).min();
    if given.is_some() {
        entries.retain(|entry| arrays.iter().any(|array| array.name == entry.array));
    }
    let mut complete = true;
    let told = arrays
        .iter()
        .map(|array| sleepers(system, array, &mut complete));
    Ok(Report {
        arrays: told.collect::<Result<_>>()?,
        time: system.now().as_second(),
        days: totals(system, &entries, days),
        log_since,
        complete,
    })
}

fn sleepers(system: &dyn System, array: &Array, complete: &mut bool) -> Result<Sleepers> {
    let told = array.sleepers().filter_map(|member| {
        let named = process_of_cause(&member.last_wake_cause);
        let process = named.and_then(|(comm, pid)| {
            identity(system, pid).filter(|process| process.comm.starts_with(comm))
        });
        Some(Sleeper {
            number: member.number,
            device: member.device.as_ref()?.name.clone(),
            power_state: member.power_state,
            asleep: member.asleep,
            spin_ups: member.spin_ups,
            spins_left: member.spins_left,
            last_wake: member.last_wake,
            last_wake_cause: member.last_wake_cause.clone(),
            process,
        })
    });
    Ok(Sleepers {
        name: array.name.clone(),
        gear: array.gear,
        sleepers: told.collect(),
        open: open(system, array, complete)?,
    })
}

/// By their numbers, the lowest first; those that look after the kernel's own things have none.
fn open(system: &dyn System, array: &Array, complete: &mut bool) -> Result<Vec<Process>> {
    let places = watch::places_of(system, array)?;
    let names = system.list(Path::new("/proc")).unwrap_or_default();
    let mut pids: Vec<u32> = names.iter().filter_map(|name| name.parse().ok()).collect();
    pids.sort_unstable();
    let mut open = Vec::new();
    for pid in pids.into_iter().filter(|pid| *pid != system.pid()) {
        match places.open_files(system, pid) {
            Some(files) if !files.is_empty() => {
                if let Some(mut process) = identity(system, pid) {
                    for file in files {
                        process.add_file(file);
                    }
                    open.push(process);
                }
            }
            Some(_) => {}
            // It has ended, or is not ours to look at.
            None => *complete &= !system.exists(&Path::new("/proc").join(pid.to_string())),
        }
    }
    Ok(open)
}

/// Of an array and a culprit: wakes and requests.
type Sums = BTreeMap<(String, String), (u64, u64)>;

fn totals(system: &dyn System, entries: &[Entry], days: u32) -> Vec<Day> {
    let zone = system.zone();
    let date = |time: i64| {
        let time = Timestamp::from_second(time).ok()?;
        Some(time.to_zoned_datetime(zone.clone()).date())
    };
    let Some(today) = date(system.now().as_second()) else {
        return Vec::new();
    };
    let first = today.saturating_sub(jiff::Span::new().days(i64::from(days) - 1));
    let mut sums: BTreeMap<Date, Sums> = BTreeMap::new();
    for entry in entries {
        let Some(date) = date(entry.time).filter(|date| *date >= first) else {
            continue;
        };
        let key = (entry.array.clone(), entry.culprit());
        let (wakes, requests) = sums.entry(date).or_default().entry(key).or_default();
        match &entry.what {
            What::Wake { .. } => *wakes += 1,
            What::Touch { requests: more, .. } => *requests = requests.saturating_add(*more),
        }
    }
    let days = sums.into_iter().rev().map(|(date, sums)| day(date, sums));
    days.collect()
}

fn day(date: Date, sums: Sums) -> Day {
    let totals = sums
        .into_iter()
        .map(|((array, by), (wakes, requests))| Total {
            array,
            by,
            wakes,
            requests,
        });
    let mut totals: Vec<_> = totals.collect();
    totals.sort_by(|one, other| {
        let order = |total: &Total| {
            (
                std::cmp::Reverse(total.wakes),
                std::cmp::Reverse(total.requests),
            )
        };
        one.array
            .cmp(&other.array)
            .then(order(one).cmp(&order(other)))
    });
    Day {
        date: date.to_string(),
        totals,
    }
}
