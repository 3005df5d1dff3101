// SPDX-License-Identifier: GPL-2.0
//! `paradm scrub`: checks and repairs, by md's `sync_*` files and the module's `scrub_*`.

mod awake;
mod limit;
mod show;

pub use awake::{Awake, when_awake};
pub use limit::{Limit, Limited, limit};
pub use show::{ScrubState, Scrubs, SetState};

use crate::array::{self, Array, Level};
use crate::error::{Error, Result};
use crate::output::{Style, Text};
use crate::shift::{self, Target, Waiting};
use crate::system::{Files, System};
use serde::Serialize;
use std::path::{Path, PathBuf};

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Kind {
    Check,
    Repair,
}

impl Kind {
    fn word(self) -> &'static str {
        match self {
            Kind::Check => "check",
            Kind::Repair => "repair",
        }
    }
}

/// What becomes of sleepers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Sleepers {
    /// The module's own way: left out, unless a set is over age or `scrub_wakes` is 1.
    AsSet,
    /// All are woken first.
    Wake,
    /// If one would be woken, the scrub is refused.
    Leave,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Wanted {
    pub kind: Kind,
    /// Not from where the last one was paused.
    pub from_start: bool,
    pub sleepers: Sleepers,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Outcome {
    Started,
    /// From where the last one was paused.
    Resumed,
    /// It is at work already.
    Running,
    Paused,
    /// There is none that could be paused.
    Nothing,
    /// With `--when-awake`: it has come to its end.
    Done,
}

#[derive(Debug, Serialize)]
pub struct Scrubbed {
    pub name: String,
    pub kind: Option<Kind>,
    pub outcome: Outcome,
    /// Sets that are left out, by their members, since not all of these are awake.
    pub leaves_out: Vec<u32>,
    /// Sets over age, whose members it wakes.
    pub wakes: Vec<u32>,
}

/// Start a check or repair, and return.
pub fn start(system: &dyn System, given: Option<&str>, wanted: Wanted) -> Result<Scrubbed> {
    let name = array::named(system, given)?;
    let mut array = Array::read(system, &name)?;
    if array.scrub.action == wanted.kind.word() {
        return Ok(scrubbed(&array, wanted.kind, Outcome::Running));
    }
    may_start(&array, wanted)?;
    let top = array.top_gear();
    if wanted.sleepers == Sleepers::Wake && array.gear != top {
        let target = Target::Gear(top);
        shift::shift(system, Some(&name), target, Waiting::UntilDone, &mut |_| {
            Ok(())
        })?;
        array = Array::read(system, &name)?;
    }
    let outcome = begin(system, &array, wanted)?;
    let mut scrubbed = scrubbed(&array, wanted.kind, outcome);
    let plan = plan(&array, system.now().as_second());
    (scrubbed.leaves_out, scrubbed.wakes) = (plan.leaves_out, plan.wakes);
    Ok(scrubbed)
}

fn scrubbed(array: &Array, kind: Kind, outcome: Outcome) -> Scrubbed {
    Scrubbed {
        name: array.name.clone(),
        kind: Some(kind),
        outcome,
        leaves_out: Vec::new(),
        wakes: Vec::new(),
    }
}

fn may_start(array: &Array, wanted: Wanted) -> Result<()> {
    let reason = if array.level == Level::Raid0 {
        "it has no parity that could be checked".to_owned()
    } else if array.is_read_only() {
        "it is read-only; `mdadm --readwrite` makes it writable".to_owned()
    } else if array.degraded > 0 {
        format!(
            "{} of its members are missing or not rebuilt",
            array.degraded
        )
    } else if !matches!(array.scrub.action.as_str(), "idle") {
        format!("a {} is running", array.scrub.work())
    } else {
        return Ok(());
    };
    Err(Error::Refused {
        what: format!("{} cannot begin a {}", array.name, wanted.kind.word()),
        reason,
    })
}

fn begin(system: &dyn System, array: &Array, wanted: Wanted) -> Result<Outcome> {
    if wanted.sleepers == Sleepers::Leave {
        let wakes = plan(array, system.now().as_second()).wakes;
        if !wakes.is_empty() {
            return Err(Error::Refused {
                what: format!("{} does not begin a {}", array.name, wanted.kind.word()),
                reason: format!("it would wake members {}", because(array, &wakes)),
            });
        }
    }
    let resumes = resumes_at(system, &array.name)? > 0;
    if resumes && wanted.from_start {
        system.put(&md_file(&array.name, "sync_min"), "0")?;
    }
    system.put(&md_file(&array.name, "sync_action"), wanted.kind.word())?;
    Ok(if resumes && !wanted.from_start {
        Outcome::Resumed
    } else {
        Outcome::Started
    })
}

fn because(array: &Array, wakes: &[u32]) -> String {
    if array.settings.scrub_wakes {
        return "(scrub_wakes is 1)".to_owned();
    }
    let sets: Vec<_> = wakes.iter().map(u32::to_string).collect();
    format!(
        "(the set of {} was last read more than {} days ago)",
        sets.join(", "),
        array.settings.scrub_age
    )
}

/// What the module is going to do with sets whose members are not all awake.
struct Plan {
    leaves_out: Vec<u32>,
    wakes: Vec<u32>,
}

fn plan(array: &Array, now: i64) -> Plan {
    let asleep = array.gears.iter().copied().filter(|set| *set > array.gear);
    let (wakes, leaves_out) = asleep.partition(|set| {
        array.settings.scrub_wakes
            || array
                .scrub
                .last
                .iter()
                .any(|last| last.set == *set && show::is_overdue(array, last.began, now))
    });
    Plan { leaves_out, wakes }
}

/// Stop a check or repair: the next one goes on from there.
pub fn pause(system: &dyn System, given: Option<&str>) -> Result<Scrubbed> {
    let name = array::named(system, given)?;
    let array = Array::read(system, &name)?;
    let kind = match array.scrub.action.as_str() {
        "check" => Some(Kind::Check),
        "repair" => Some(Kind::Repair),
        "idle" => None,
        _ => {
            return Err(Error::Refused {
                what: format!("the {} of {name} is not paused", array.scrub.work()),
                reason: "only checks and repairs can be paused".to_owned(),
            });
        }
    };
    if kind.is_some() {
        system.put(&md_file(&name, "sync_action"), "idle")?;
    }
    Ok(Scrubbed {
        name,
        kind,
        outcome: kind.map_or(Outcome::Nothing, |_| Outcome::Paused),
        leaves_out: Vec::new(),
        wakes: Vec::new(),
    })
}

fn md_file(name: &str, file: &str) -> PathBuf {
    Path::new("/sys/block").join(name).join("md").join(file)
}

/// Sectors of each member that the next one leaves out at the beginning; 0: none was paused.
fn resumes_at(system: &dyn System, name: &str) -> Result<u64> {
    show::md_dir(system, name).number("sync_min")
}

impl Text for Scrubbed {
    fn text(&self, style: Style) -> String {
        let name = style.bold(&self.name);
        let kind = self.kind.map_or("scrub", Kind::word);
        let what = match self.outcome {
            Outcome::Started => format!("the {kind} has started"),
            Outcome::Resumed => format!("the {kind} continues from where one was paused"),
            Outcome::Running => format!("a {kind} is running already"),
            Outcome::Paused => format!("the {kind} is paused; the next one continues from there"),
            Outcome::Nothing => "no check or repair is running".to_owned(),
            Outcome::Done => format!("the {kind} is done"),
        };
        let mut text = format!("{name}: {what}\n");
        for (sets, remark) in [
            (&self.leaves_out, "left out, since members are asleep"),
            (&self.wakes, "read completely, and its members are woken"),
        ] {
            for set in sets {
                text += &format!("  the set of {set} members is {remark}\n");
            }
        }
        text
    }
}
