// SPDX-License-Identifier: GPL-2.0

use crate::cli::{Context, Verdict};
use crate::error::Result;
use crate::schedule::{self, Schedules};
use clap::Subcommand;

/// Predict from past days the gear that each of the next 24 hours will need, and let an array follow that schedule
#[derive(Debug, clap::Args)]
#[command(arg_required_else_help = false)]
pub struct Options {
    #[command(subcommand)]
    action: Action,
}

#[derive(Debug, Subcommand)]
enum Action {
    /// Show the schedule, and how often it would have been right
    Show {
        /// Only of this array: md0, /dev/md0 or a link to it
        array: Option<String>,
    },
    /// Let an array follow its schedule from now on, while paradm daemon runs
    ///
    /// Its disks are started ahead of predicted load. Its policy stays between the limits that it has now.
    Apply {
        /// The array: md0, /dev/md0 or a link to it; needed if there are several
        array: Option<String>,
    },
    /// Let an array no longer follow its schedule, and restore its limits
    Off {
        /// The array: md0, /dev/md0 or a link to it; needed if there are several
        array: Option<String>,
    },
}

pub fn run(options: &Options, context: &mut Context) -> Result<Verdict> {
    let system = context.system;
    let output = &mut context.output;
    match &options.action {
        Action::Show { array } => {
            let schedules = Schedules::read(system, array.as_deref())?;
            output.show("schedule/2", &schedules)
        }
        Action::Apply { array } => {
            let changed = schedule::apply(system, array.as_deref())?;
            output.show("schedule-apply/1", &changed)
        }
        Action::Off { array } => {
            let changed = schedule::off(system, array.as_deref())?;
            output.show("schedule-off/1", &changed)
        }
    }?;
    Ok(Verdict::Done)
}
