// SPDX-License-Identifier: GPL-2.0
//! How old the last scrub of each set is, and what is at work.

use super::limit::{Speed, speed_file};
use super::resumes_at;
use crate::array::{self, Array, Dir};
use crate::error::Result;
use crate::output::{Align, Style, Table, Text, units};
use crate::status::work;
use crate::system::System;
use serde::Serialize;
use std::path::Path;

#[derive(Debug, Serialize)]
pub struct Scrubs {
    pub arrays: Vec<ScrubState>,
}

#[derive(Debug, Serialize)]
pub struct ScrubState {
    pub name: String,
    /// md's `sync_action`.
    pub action: String,
    /// Sectors of each member: done, of all.
    pub completed: Option<(u64, u64)>,
    /// Where the next one begins: sectors of each member. 0: at the start.
    pub resumes_at: u64,
    /// KiB/s of each member, now; `None`: nothing is at work.
    pub speed: Option<u64>,
    /// KiB of each member that are written and have still to be read.
    pub left_kib: Option<u64>,
    #[serde(skip)]
    progress: Option<String>,
    /// KiB/s of each member at most; `None`: the system's own.
    pub limit: Option<u32>,
    pub mismatches: u64,
    pub wakes: bool,
    pub age_days: u32,
    pub sets: Vec<SetState>,
}

#[derive(Debug, Serialize)]
pub struct SetState {
    /// By its number of members.
    pub set: u32,
    /// When the last scrub that has read all of it began, seconds since 1970.
    pub last: i64,
    pub age_seconds: u64,
    /// The last one is more than `age_days` ago: if members are asleep, the next scrub wakes them.
    pub overdue: bool,
    /// The gear leaves none of its members out.
    pub awake: bool,
    /// The last scrub has left it out.
    pub left_out: bool,
}

impl Scrubs {
    pub fn read(system: &dyn System, given: Option<&str>) -> Result<Self> {
        let arrays = array::some(system, given)?;
        let states = arrays.iter().map(|array| ScrubState::read(system, array));
        Ok(Scrubs {
            arrays: states.collect::<Result<_>>()?,
        })
    }
}

impl ScrubState {
    fn read(system: &dyn System, array: &Array) -> Result<Self> {
        let now = system.now().as_second();
        let md = md_dir(system, &array.name);
        let set = |last: &array::SetScrub| SetState {
            set: last.set,
            last: last.began,
            age_seconds: u64::try_from(now.saturating_sub(last.began)).unwrap_or(0),
            overdue: is_overdue(array, last.began, now),
            awake: last.set <= array.gear,
            left_out: array.scrub.left_out.contains(&last.set),
        };
        Ok(ScrubState {
            name: array.name.clone(),
            action: array.scrub.action.clone(),
            completed: array.scrub.completed,
            resumes_at: resumes_at(system, &array.name)?,
            speed: array.scrub.speed_kib,
            left_kib: array.scrub.left_kib,
            progress: work::progress(&array.scrub),
            limit: match speed_file(&md, "sync_speed_max")? {
                Speed::System(_) => None,
                Speed::Local(speed) => Some(speed),
            },
            mismatches: array.scrub.mismatches,
            wakes: array.settings.scrub_wakes,
            age_days: array.settings.scrub_age,
            sets: array.scrub.last.iter().map(set).collect(),
        })
    }

    fn work(&self, style: Style) -> String {
        match &self.progress {
            Some(progress) => format!("{}: {progress}", style.attention(&self.action)),
            _ if self.action == "idle" && self.resumes_at > 0 => {
                "paused: the next check continues where the last one was interrupted".to_owned()
            }
            _ if self.action == "idle" => "no check is running".to_owned(),
            _ => style.attention(&self.action),
        }
    }
}

/// As the module counts: 0 days are never.
pub(super) fn is_overdue(array: &Array, began: i64, now: i64) -> bool {
    const DAY: i64 = 86_400;
    let age = i64::from(array.settings.scrub_age);
    age > 0 && now.saturating_sub(began) / DAY >= age
}

pub(super) fn md_dir<'a>(system: &'a dyn System, name: &str) -> Dir<'a> {
    Dir::new(system, Path::new("/sys/block").join(name).join("md"))
}

pub(super) fn speed_text(kib: u64) -> String {
    format!("{}/s", units::bytes(kib.saturating_mul(1024)))
}

impl Text for Scrubs {
    fn text(&self, style: Style) -> String {
        if self.arrays.is_empty() {
            return "no par array runs here\n".to_owned();
        }
        let texts: Vec<_> = self
            .arrays
            .iter()
            .map(|array| array_text(array, style))
            .collect();
        texts.join("\n")
    }
}

fn array_text(array: &ScrubState, style: Style) -> String {
    let mut text = format!("{}: {}\n", style.bold(&array.name), array.work(style));
    if let Some(limit) = array.limit {
        text += &format!("  limited to {} for each disk\n", speed_text(limit.into()));
    }
    if array.mismatches > 0 {
        let found = format!("{} mismatches", array.mismatches);
        text += &format!("  {}\n", style.bad(found));
    }
    let mut table = Table::new([
        ("set", Align::Right),
        ("last read completely", Align::Right),
        ("", Align::Left),
    ]);
    for set in &array.sets {
        table.row([
            format!("{} members", set.set),
            format!("{} ago", units::seconds(set.age_seconds)),
            remark(array, set, style),
        ]);
    }
    text + &table.render("  ", style)
}

fn remark(array: &ScrubState, set: &SetState, style: Style) -> String {
    let days = array.age_days;
    match (set.overdue, set.awake, set.left_out) {
        (true, true, _) => style.attention(format!("over {days} days")),
        (true, false, _) => {
            style.attention(format!("over {days} days: the next check wakes members"))
        }
        (false, _, true) => style.attention("left out of the last check: members were asleep"),
        (false, _, false) => String::new(),
    }
}
