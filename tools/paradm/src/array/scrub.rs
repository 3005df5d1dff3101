// SPDX-License-Identifier: GPL-2.0
//! Checks and repairs: md's `sync_*`, and the files `scrub_*`.

use super::Dir;
use crate::error::Result;
use serde::Serialize;

/// A line of `scrub_last`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct SetScrub {
    /// The set, by its number of members.
    pub set: u32,
    /// Seconds since 1970.
    pub began: i64,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Scrub {
    /// md's `sync_action`: idle, check, repair, recover, resync, frozen.
    pub action: String,
    /// Sectors of each member: done, of all.
    pub completed: Option<(u64, u64)>,
    /// KiB of each member that are written and have still to be read. `None`: nothing is at work.
    pub left_kib: Option<u64>,
    /// KiB/s of each member, now. `None`: nothing is at work.
    pub speed_kib: Option<u64>,
    pub mismatches: u64,
    /// Bytes of copies on members that could not be rebuilt or corrected.
    pub lost_copies: u64,
    pub last: Vec<SetScrub>,
    pub left_out: Vec<u32>,
}

impl Scrub {
    pub fn read(md: &Dir, par: &Dir) -> Result<Self> {
        Ok(Scrub {
            action: md.word("sync_action")?,
            completed: md.one_of("sync_completed", "none or DONE / TOTAL", completed)?,
            left_kib: par.unless("sync_left_kib", "none")?,
            speed_kib: md.unless("sync_speed", "none")?,
            mismatches: md.number("mismatch_cnt")?,
            lost_copies: par.number("lost_copies")?,
            last: par.lines("scrub_last", "MEMBERS SECONDS", set_scrub)?,
            left_out: par.one_of("scrub_left_out", "sets, or none", left_out)?,
        })
    }

    /// How long it takes at its present speed. `None`: nothing is at work, or nothing was read yet.
    pub fn seconds_left(&self) -> Option<u64> {
        let speed = self.speed_kib.filter(|speed| *speed > 0)?;
        Some(self.left_kib? / speed)
    }

    /// How much of what runs is done, from 0 to 1. `None`: nothing runs.
    #[allow(clippy::cast_precision_loss)] // a part of a whole
    pub fn ratio(&self) -> Option<f64> {
        let (done, total) = self.completed.filter(|(_, total)| *total > 0)?;
        Some(done.min(total) as f64 / total as f64)
    }

    /// `action` as the documents call it: md's recover is a rebuild.
    pub fn work(&self) -> &str {
        match self.action.as_str() {
            "recover" => "rebuild",
            action => action,
        }
    }
}

fn completed(line: &str) -> Option<Option<(u64, u64)>> {
    if line == "none" || line == "delayed" {
        return Some(None);
    }
    let (done, total) = line.split_once(" / ")?;
    Some(Some((done.parse().ok()?, total.parse().ok()?)))
}

fn set_scrub(line: &str) -> Option<SetScrub> {
    let (set, began) = line.split_once(' ')?;
    Some(SetScrub {
        set: set.parse().ok()?,
        began: began.parse().ok()?,
    })
}

fn left_out(line: &str) -> Option<Vec<u32>> {
    if line == "none" {
        return Some(Vec::new());
    }
    line.split_ascii_whitespace()
        .map(|word| word.parse().ok())
        .collect()
}
