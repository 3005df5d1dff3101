// SPDX-License-Identifier: GPL-2.0

use crate::cli::{Context, Verdict};
use crate::doctor::{self, Fixing};
use crate::error::Result;

/// Look for what keeps sleepers from sleeping: smartd, udisks, timers, mounts, swap, rules, mdadm, settings
///
/// Only files are read: no disk is started, and no program is run.
#[derive(Debug, clap::Args)]
pub struct Options {
    /// Only this array: md0, /dev/md0 or a link to it
    array: Option<String>,
    /// Mend what can be mended by a value in sysfs or by a udev rule in a file of paradm's own; report the rest
    #[arg(long)]
    fix: bool,
    /// Print what --fix would write, and write nothing
    #[arg(long, requires = "fix")]
    dry_run: bool,
}

pub fn run(options: &Options, context: &mut Context) -> Result<Verdict> {
    let fixing = match (options.fix, options.dry_run) {
        (false, _) => Fixing::No,
        (true, true) => Fixing::Told,
        (true, false) => Fixing::Done,
    };
    let report = doctor::examine(context.system, options.array.as_deref(), fixing)?;
    context.output.show("doctor/1", &report)?;
    Ok(report.verdict())
}
