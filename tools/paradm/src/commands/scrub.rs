// SPDX-License-Identifier: GPL-2.0

use crate::cli::{Context, Verdict};
use crate::error::{Error, Result};
use crate::pin::Until;
use crate::scrub::{self, Kind, Limit, Scrubs, Sleepers, Wanted};
use clap::Subcommand;

/// Check an array's parity: start, limit, pause, or only in hours when all disks are awake anyway
#[derive(Debug, clap::Args)]
#[command(arg_required_else_help = false)]
pub struct Options {
    #[command(subcommand)]
    action: Action,
}

#[derive(Debug, Subcommand)]
enum Action {
    /// Show the check or repair that is running, and when each set was last read completely
    Show {
        /// Only this array: md0, /dev/md0 or a link to it
        array: Option<String>,
    },
    /// Start a check, or continue one that was paused
    ///
    /// Sets that have members asleep are left out, unless a set has not been read completely for scrub_age days, or
    /// scrub_wakes is 1: then the members are woken, which starts disks. The array does not shift down while a check
    /// is running.
    Start(Start),
    /// Limit the speed of checks: KiB/s of each disk, or 20M, or `none`
    Limit {
        limit: Limit,
        /// The array: md0, /dev/md0 or a link to it; needed if there are several
        array: Option<String>,
    },
    /// Pause a check or repair; the next one continues from there
    Pause {
        /// The array: md0, /dev/md0 or a link to it; needed if there are several
        array: Option<String>,
    },
}

#[derive(Debug, clap::Args)]
struct Start {
    /// The array: md0, /dev/md0 or a link to it; needed if there are several
    array: Option<String>,
    /// Correct parity that does not match
    #[arg(long)]
    repair: bool,
    /// Start from the beginning, even if a check was paused
    #[arg(long)]
    from_start: bool,
    /// Shift to the top gear first, so that all sets are read: this starts disks
    #[arg(long, conflicts_with_all = ["no_wake", "when_awake"])]
    wake: bool,
    /// Refuse to begin if that would start disks
    #[arg(long, conflicts_with = "when_awake")]
    no_wake: bool,
    /// Wait until all disks are awake, pause whenever the array would shift down, and end when everything has been
    /// read. If paradm is killed, a running check continues
    #[arg(long)]
    when_awake: bool,
    /// With --when-awake: the time at which to pause, and end: 18:00 (the next one), or '2026-11-25 18:00'
    #[arg(long, value_name = "TIME", requires = "when_awake")]
    until: Option<Until>,
}

pub fn run(options: &Options, context: &mut Context) -> Result<Verdict> {
    let system = context.system;
    let output = &mut context.output;
    match &options.action {
        Action::Show { array } => output.show("scrub/1", &Scrubs::read(system, array.as_deref())?),
        Action::Start(options) => return start(options, context),
        Action::Limit { limit, array } => output.show(
            "scrub-limit/1",
            &scrub::limit(system, array.as_deref(), *limit)?,
        ),
        Action::Pause { array } => {
            output.show("scrub-run/1", &scrub::pause(system, array.as_deref())?)
        }
    }?;
    Ok(Verdict::Done)
}

fn start(options: &Start, context: &mut Context) -> Result<Verdict> {
    let system = context.system;
    let wanted = Wanted {
        kind: if options.repair {
            Kind::Repair
        } else {
            Kind::Check
        },
        from_start: options.from_start,
        sleepers: match (options.wake, options.no_wake) {
            (true, _) => Sleepers::Wake,
            (_, true) => Sleepers::Leave,
            _ => Sleepers::AsSet,
        },
    };
    let given = options.array.as_deref();
    let output = &mut context.output;
    let scrubbed = if options.when_awake {
        let until = match options.until {
            None => None,
            Some(until) => Some(
                until
                    .timestamp(system.now(), system.zone())
                    .ok_or_else(|| Error::Usage("that time is in the past".to_owned()))?
                    .as_second(),
            ),
        };
        let scrubbed = scrub::when_awake(system, given, wanted, until, &mut |line| {
            output.progress(line)
        });
        output.end_progress()?;
        scrubbed?
    } else {
        scrub::start(system, given, wanted)?
    };
    output.show("scrub-run/1", &scrubbed)?;
    Ok(Verdict::Done)
}
