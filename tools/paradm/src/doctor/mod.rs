// SPDX-License-Identifier: GPL-2.0
//! `paradm doctor`: what on this system keeps sleepers from sleeping; and lost data, which does not wait.
//!
//! A check reads public files and returns findings; it starts no disk and runs no program. A finding that
//! a value in sysfs mends, or a udev rule in a file of paradm's own, says so: [`Fixing`] decides what
//! becomes of it. Files of the administrator's are never changed.

mod config;
mod disks;
mod install;
mod mounts;
mod text;
mod timers;
mod udev;

use crate::array::{self, Array, Inactive};
use crate::cli::Verdict;
use crate::error::{Error, Result};
use crate::mount::{self, Mount};
use crate::status;
use crate::system::{Files, System};
use serde::Serialize;
use std::path::PathBuf;

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Weight {
    /// Sleepers are started by it, or not stopped; or data is lost.
    Problem,
    /// Worth knowing; it need not be changed.
    Remark,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Kind {
    /// A value in sysfs: at once, until the next boot.
    Sysfs,
    /// Lines of a file of paradm's own: from the next boot on, or when udev has read it.
    File,
}

/// What mends something, and may be undone as easily.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Fix {
    pub kind: Kind,
    pub file: PathBuf,
    pub value: String,
    pub done: bool,
}

impl Fix {
    fn apply(&mut self, system: &dyn System) -> Result<()> {
        match self.kind {
            Kind::Sysfs => system.put(&self.file, &self.value)?,
            Kind::File => self.add_lines(system)?,
        }
        self.done = true;
        Ok(())
    }

    /// Several findings may have lines for the same file.
    fn add_lines(&self, system: &dyn System) -> Result<()> {
        let text = system.read(&self.file).unwrap_or_default();
        if text.contains(&self.value) {
            return Ok(());
        }
        system
            .replace(&self.file, &(text + &self.value))
            .map_err(|error| Error::write(&self.file, "a rule", &error))
    }
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Finding {
    /// Which check: `iostats`, `smartd`, …
    pub check: &'static str,
    pub weight: Weight,
    /// `None`: of the system, not of one array.
    pub array: Option<String>,
    /// What is wrong.
    pub what: String,
    /// What would be right.
    pub remedy: String,
    pub fix: Option<Fix>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fixing {
    No,
    /// What would be written is said.
    Told,
    Done,
}

#[derive(Debug, Serialize)]
pub struct Report {
    /// The arrays that were looked at.
    pub arrays: Vec<String>,
    /// What was looked for.
    pub checks: Vec<&'static str>,
    pub findings: Vec<Finding>,
    #[serde(skip)]
    fixing: bool,
}

impl Report {
    /// Problems that are still there; remarks are no findings.
    pub fn verdict(&self) -> Verdict {
        let mended = |finding: &Finding| finding.fix.as_ref().is_some_and(|fix| fix.done);
        let problem = |finding: &&Finding| finding.weight == Weight::Problem && !mended(finding);
        if self.findings.iter().any(|finding| problem(&finding)) {
            Verdict::Findings
        } else {
            Verdict::Done
        }
    }
}

/// An array, and where it is in use.
pub(crate) struct Subject<'a> {
    pub system: &'a dyn System,
    pub array: &'a Array,
    pub all_mounts: &'a [Mount],
    /// File systems on the array, or on what lies on it.
    pub mounts: Vec<&'a Mount>,
}

impl Subject<'_> {
    fn finding(&self, check: &'static str, weight: Weight, what: String, remedy: &str) -> Finding {
        Finding {
            check,
            weight,
            array: Some(self.array.name.clone()),
            what,
            remedy: remedy.to_owned(),
            fix: None,
        }
    }
}

type Check = fn(&Subject, &mut Vec<Finding>);

/// Of each array, in the order in which they are told.
const CHECKS: [(&str, Check); 21] = [
    ("state", state),
    ("log_lost", disks::log_lost),
    ("lost_copies", disks::lost_copies),
    ("spin", disks::spin),
    ("read_only", disks::read_only),
    ("power_control", disks::power_control),
    ("budget", disks::budget),
    ("iostats", disks::iostats),
    ("polling", disks::polling),
    ("sizes", disks::sizes),
    ("zoned", disks::zoned),
    ("atime", mounts::atime),
    ("logs", mounts::logs),
    ("swap", mounts::swap),
    ("locate", mounts::locate),
    ("indexers", mounts::indexers),
    ("smartd", config::smartd),
    ("hdparm", config::hdparm),
    ("timers", timers::timers),
    ("udisks", timers::udisks),
    ("power_rules", udev::power_rules),
];

type SystemCheck = fn(&dyn System, &mut Vec<Finding>);

/// And of the system, once.
const SYSTEM_CHECKS: [(&str, SystemCheck); 5] = [
    ("rules", install::rules),
    ("mdadm", install::mdadm),
    ("initramfs", install::initramfs),
    ("kernels", install::kernels),
    ("versions", install::versions),
];

/// Of `given`, or of all arrays.
pub fn examine(system: &dyn System, given: Option<&str>, fixing: Fixing) -> Result<Report> {
    let (arrays, inactive) = status::wanted(system, given)?;
    let mounts = mount::all(system)?;
    let mut findings: Vec<_> = inactive.iter().map(not_running).collect();
    for array in &arrays {
        let on = mount::devices_on(system, &array.name);
        let subject = Subject {
            system,
            array,
            all_mounts: &mounts,
            mounts: mounts
                .iter()
                .filter(|mount| mount.is_on(system, &on))
                .collect(),
        };
        for (_, check) in CHECKS {
            check(&subject, &mut findings);
        }
    }
    let running = arrays.iter().map(|array| array.name.clone());
    let names: Vec<_> = running
        .chain(inactive.into_iter().map(|array| array.name))
        .collect();
    for (_, check) in SYSTEM_CHECKS.iter().filter(|_| !names.is_empty()) {
        check(system, &mut findings);
    }
    if fixing == Fixing::Done {
        apply(system, &mut findings)?;
    }
    Ok(Report {
        arrays: names,
        checks: checks(),
        findings,
        fixing: fixing != Fixing::No,
    })
}

fn not_running(array: &Inactive) -> Finding {
    Finding {
        check: "state",
        weight: Weight::Problem,
        array: Some(array.name.clone()),
        what: array.what(),
        remedy: array.action(),
        fix: None,
    }
}

/// An array that is not whole.
fn state(subject: &Subject, findings: &mut Vec<Finding>) {
    let array = subject.array;
    // Lost content has a check of its own.
    let Some(remedy) = array::action(array).filter(|_| array.lost_bytes() == 0) else {
        return;
    };
    let what = match array.health {
        array::Health::Doubt if array.degraded == 0 => {
            format!("a check has found {} mismatches", array.scrub.mismatches)
        }
        health => {
            let failed = array.failed.join(" ");
            let missing = format!(
                "{} of {} members are missing or not rebuilt",
                array.degraded,
                array.members.len()
            );
            let failed = if failed.is_empty() {
                failed
            } else {
                format!("; failed: {failed}")
            };
            format!("{}: {missing}{failed}", health.shown())
        }
    };
    findings.push(subject.finding("state", Weight::Problem, what, &remedy));
}

fn checks() -> Vec<&'static str> {
    let of_arrays = CHECKS.iter().map(|(name, _)| *name);
    of_arrays
        .chain(SYSTEM_CHECKS.iter().map(|(name, _)| *name))
        .collect()
}

/// One that fails keeps none of the others from being done.
fn apply(system: &dyn System, findings: &mut [Finding]) -> Result<()> {
    let fixes = findings.iter_mut().filter_map(|found| found.fix.as_mut());
    let results: Vec<_> = fixes.map(|fix| fix.apply(system)).collect();
    results.into_iter().collect()
}
