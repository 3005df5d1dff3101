// SPDX-License-Identifier: GPL-2.0

use crate::cli::{Context, Verdict};
use crate::error::Result;
use crate::shift::{self, Target, Waiting};
use std::time::Duration;

/// Shift an array to another gear, and wait until the shift is complete
///
/// A shift up starts the disks of the members that it needs, which takes spin-ups from their budget. Ctrl-C ends
/// the waiting, not the shift.
#[derive(Debug, clap::Args)]
pub struct Options {
    /// A gear as its number of members (`paradm status` shows the gears), or `up`, `down`, `top`, `lowest`
    gear: Target,
    /// The array: md0, /dev/md0 or a link to it; needed if there are several
    array: Option<String>,
    /// Return at once
    #[arg(long)]
    no_wait: bool,
    /// Wait for at most this time
    #[arg(long, value_name = "SECONDS", conflicts_with = "no_wait", value_parser = clap::value_parser!(u64).range(1..))]
    timeout: Option<u64>,
}

pub fn run(options: &Options, context: &mut Context) -> Result<Verdict> {
    let waiting = match (options.no_wait, options.timeout) {
        (true, _) => Waiting::None,
        (_, Some(seconds)) => Waiting::AtMost(Duration::from_secs(seconds)),
        _ => Waiting::UntilDone,
    };
    let output = &mut context.output;
    let shifted = shift::shift(
        context.system,
        options.array.as_deref(),
        options.gear,
        waiting,
        &mut |progress| output.progress(progress),
    );
    context.output.end_progress()?;
    context.output.show("shift/1", &shifted?)?;
    Ok(Verdict::Done)
}
