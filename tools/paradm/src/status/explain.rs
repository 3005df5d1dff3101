// SPDX-License-Identifier: GPL-2.0
//! Why arrays are in their gears: the module's own sentence, and what of the array's state it does
//! not tell.

use crate::array::{self, Array, Inactive, LogState, PolicyMode, PowerState, ShiftState};
use crate::cli::Verdict;
use crate::error::Result;
use crate::output::{Style, Text};
use crate::output::{printable, units};
use crate::system::System;
use serde::Serialize;

#[derive(Debug, Serialize)]
pub struct Explanation {
    pub arrays: Vec<Reasons>,
    /// Those that do not run.
    pub inactive: Vec<Inactive>,
    #[serde(skip)]
    is_down: bool,
}

#[derive(Debug, Serialize)]
pub struct Reasons {
    pub name: String,
    pub gear: u32,
    pub gears: Vec<u32>,
    /// The module's sentence.
    pub explain: String,
    /// And what else matters, a sentence each.
    pub remarks: Vec<String>,
}

impl Explanation {
    pub fn read(system: &dyn System, given: Option<&str>) -> Result<Self> {
        let (arrays, inactive) = super::wanted(system, given)?;
        Ok(Explanation {
            is_down: !inactive.is_empty() || arrays.iter().any(|array| array.health.is_down()),
            arrays: arrays.iter().map(Reasons::of).collect(),
            inactive,
        })
    }

    /// An array that cannot be used is no matter of gears.
    pub fn verdict(&self) -> Verdict {
        if self.is_down {
            Verdict::Findings
        } else {
            Verdict::Done
        }
    }
}

impl Reasons {
    fn of(array: &Array) -> Self {
        let remarks = [
            state(array),
            manual(array),
            shift(array),
            put_off(array),
            limits(array),
            sync(array),
            log(array),
            log_copies(array),
            strangers(array),
        ];
        Reasons {
            name: array.name.clone(),
            gear: array.gear,
            gears: array.gears.clone(),
            explain: array.explain.clone(),
            remarks: remarks.into_iter().flatten().collect(),
        }
    }
}

fn state(array: &Array) -> Option<String> {
    // What the log has lost is told below.
    let action = array::action(array).filter(|_| array.lost_bytes() == 0)?;
    Some(format!("{}; action: {action}", array.health.shown()))
}

fn manual(array: &Array) -> Option<String> {
    (array.settings.policy == PolicyMode::Manual).then(|| {
        "the policy is manual: only `paradm shift` and the daemon change the gear; \
         `paradm policy set policy=auto` has it follow the load"
            .to_owned()
    })
}

fn shift(array: &Array) -> Option<String> {
    let shift = &array.shift;
    let what = match shift.state {
        ShiftState::Idle => return None,
        ShiftState::Propagate => {
            "data that was written to images is being copied to the home copies; the array is fully usable".to_owned()
        }
        ShiftState::Up => format!(
            "a shift up to gear {} is under way: members are starting",
            shift.target
        ),
        ShiftState::Down => format!(
            "a shift down to gear {} is under way, for {} more at most",
            shift.target,
            units::seconds(shift.limit_seconds)
        ),
    };
    Some(match shift.progress {
        Some(progress) if progress.total > 0 => {
            format!("{what} ({} of {} segments)", progress.done, progress.total)
        }
        _ => what,
    })
}

fn put_off(array: &Array) -> Option<String> {
    array.shift.put_off.as_ref()?;
    let spent: Vec<_> = array
        .sleepers()
        .filter(|member| member.spins_left == 0)
        .map(|member| format!("member {}", member.number))
        .collect();
    Some(format!(
        "the shift down to gear {} waits for spin-ups of {}: `paradm status` shows how many are left, \
         rated_cycles and wanted_years how many a day brings",
        array.shift.target,
        if spent.is_empty() {
            "a member".to_owned()
        } else {
            spent.join(", ")
        }
    ))
}

fn limits(array: &Array) -> Option<String> {
    let settings = &array.settings;
    let (lowest, top) = (array.lowest_gear(), array.top_gear());
    if (settings.min_gear, settings.max_gear) == (lowest, top) {
        return None;
    }
    Some(format!(
        "the policy stays between gears {} and {} (min_gear, max_gear) of {lowest} to {top}",
        settings.min_gear, settings.max_gear
    ))
}

fn sync(array: &Array) -> Option<String> {
    match array.scrub.action.as_str() {
        "idle" | "frozen" => None,
        _ => Some(format!(
            "a {} is running: no shift below the current gear until it has ended",
            array.scrub.work()
        )),
    }
}

/// What is in the write log, if that matters.
fn log(array: &Array) -> Option<String> {
    let log = array.log.as_ref()?;
    if log.lost_bytes > 0 {
        return Some(format!(
            "{} whose newest content was in the write log are lost: `paradm doctor` says what to do",
            units::bytes(log.lost_bytes)
        ));
    }
    let percent = log.filled().percent()?;
    match log.state {
        LogState::Draining => Some(format!(
            "what is in the write log is being written home; {percent} % of the log is in use"
        )),
        LogState::Stuck => Some(
            "some records of the write log have no readable copy: nothing is written to it until \
             the others have been written home"
                .to_owned(),
        ),
        LogState::Empty | LogState::Records => None,
    }
}

/// Copies that fail are a matter of the disks, whatever the log does.
fn log_copies(array: &Array) -> Option<String> {
    let log = array.log.as_ref()?;
    (log.read_errors > 0).then(|| {
        format!(
            "reads of a copy in the write log that have failed since the array was started: {}; \
             another copy was used, if there was one, and the kernel log names the disk",
            log.read_errors
        )
    })
}

/// Members that the gear leaves out and whose disks turn.
fn strangers(array: &Array) -> Option<String> {
    let turning: Vec<_> = array
        .members
        .iter()
        .filter(|member| member.asleep && member.power_state == PowerState::Active)
        .map(|member| match member.last_wake_cause.as_str() {
            "none" => format!("member {}", member.number),
            cause => format!("member {} ({})", member.number, printable(cause)),
        })
        .collect();
    (!turning.is_empty()).then(|| {
        format!(
            "disks that turn although the gear leaves them out, since another program uses them: {}",
            turning.join(", ")
        )
    })
}

impl Text for Explanation {
    fn text(&self, style: Style) -> String {
        if self.arrays.is_empty() && self.inactive.is_empty() {
            return "no par array runs here\n".to_owned();
        }
        let mut text = String::new();
        for array in &self.arrays {
            text += &format!("{}: {}\n", style.bold(&array.name), array.explain);
            for remark in &array.remarks {
                text += &format!("  {remark}\n");
            }
        }
        for array in &self.inactive {
            text += &super::text::inactive_text(array, style);
        }
        text
    }
}
