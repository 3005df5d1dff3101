// SPDX-License-Identifier: GPL-2.0

use crate::cli::{Context, Verdict};
use crate::error::Result;
use crate::status::Status;
use crate::watch;
use std::time::Duration;

/// Show gears, load, disks and their power
#[derive(Debug, clap::Args)]
pub struct Options {
    /// Only this array: md0, /dev/md0 or a link to it
    array: Option<String>,
    /// Show it on the whole screen, with load and shifts, and update it until q is typed
    #[arg(long, conflicts_with = "json")]
    watch: bool,
    /// With --watch: seconds between two updates
    #[arg(long, value_name = "SECONDS", requires = "watch", default_value = "2", value_parser = clap::value_parser!(u16).range(1..=3600))]
    interval: u16,
}

pub fn run(options: &Options, context: &mut Context) -> Result<Verdict> {
    let array = options.array.as_deref();
    if options.watch {
        return watch(options, context);
    }
    let status = Status::read(context.system, array)?;
    context.output.show("status/1", &status)?;
    Ok(status.verdict())
}

fn watch(options: &Options, context: &Context) -> Result<Verdict> {
    if !context.output.terminal {
        return Err(watch::no_terminal());
    }
    let wanted = watch::Options {
        array: options.array.as_deref(),
        every: Duration::from_secs(options.interval.into()),
        style: context.output.style,
    };
    watch::watch(context.system, &wanted)?;
    Ok(Verdict::Done)
}
