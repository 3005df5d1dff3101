// SPDX-License-Identifier: GPL-2.0

use crate::cli::{Context, Verdict};
use crate::error::Result;
use crate::schedule::Schedules;

/// Show the gear that each of the next 24 hours is going to need, as past days had it
///
/// Nothing is changed. What is known of past days is what the array keeps, in its file load_by_hour.
#[derive(Debug, clap::Args)]
pub struct Options {
    /// Only this array: md0, /dev/md0 or a link to it
    array: Option<String>,
}

pub fn run(options: &Options, context: &mut Context) -> Result<Verdict> {
    let schedules = Schedules::read(context.system, options.array.as_deref())?;
    context.output.show("schedule/1", &schedules)?;
    Ok(Verdict::Done)
}
