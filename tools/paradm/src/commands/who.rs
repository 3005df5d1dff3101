// SPDX-License-Identifier: GPL-2.0

use crate::cli::{Context, Verdict};
use crate::error::Result;
use crate::pin::Length;
use crate::who::{self, Watching};
use std::time::Duration;

/// Show which process woke a sleeper, sends requests to its disk directly, or loads the array
///
/// Without an option: each sleeper's last wake and its cause, the processes that have files on the array open, and
/// the log's totals of the last days. With --live: events from now on. --live and --log need root. Nothing is sent
/// to a disk.
#[derive(Debug, clap::Args)]
#[command(group(clap::ArgGroup::new("watching").args(["live", "log"]).multiple(true)))]
pub struct Options {
    /// Only this array: md0, /dev/md0 or a link to it
    array: Option<String>,
    /// The number of days of the log to show, including today
    #[arg(long, value_name = "N", default_value_t = 7, value_parser = clap::value_parser!(u32).range(1..=i64::from(who::DAYS)))]
    days: u32,
    /// Print wakes and requests past the array to sleepers as they happen, and then the use of the array by process
    #[arg(long, conflicts_with = "days")]
    live: bool,
    /// Add wakes and such requests to the log, /var/lib/paradm/who.jsonl, while the command runs
    #[arg(long, conflicts_with = "days")]
    log: bool,
    /// With --live or --log: end after this time: 90s, 10min, 2h
    #[arg(
        long = "for",
        value_name = "TIME",
        id = "length",
        requires = "watching"
    )]
    length: Option<Length>,
}

pub fn run(options: &Options, context: &mut Context) -> Result<Verdict> {
    let system = context.system;
    let array = options.array.as_deref();
    let output = &mut context.output;
    if !options.live && !options.log {
        output.show("who/1", &who::report(system, array, options.days)?)?;
        return Ok(Verdict::Done);
    }
    let zone = system.zone();
    let watching = Watching {
        array,
        most: options.length.map(|length| time_of(length, context.system)),
        live: options.live,
        log: options.log,
    };
    let watched = who::watch(system, &watching, &mut |happening| {
        output.event(happening.line(&zone))
    })?;
    if watched.sources.is_empty() {
        output.note("the kernel has no tracefs (/sys/kernel/tracing): only wakes were reported, not the processes that use the array")?;
    }
    if options.live {
        output.show("who-live/1", &watched)?;
    }
    Ok(Verdict::Done)
}

fn time_of(length: Length, system: &dyn crate::system::System) -> Duration {
    let now = system.now();
    let end = length.timestamp(now, system.zone());
    end.and_then(|end| Duration::try_from(end.duration_since(now)).ok())
        .unwrap_or(Duration::MAX)
}
