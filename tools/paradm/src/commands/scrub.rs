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
    /// Show what is at work, and when each set was last read in whole
    Show {
        /// Only this array: md0, /dev/md0 or a link to it
        array: Option<String>,
    },
    /// Start a check, or go on with one that was paused
    ///
    /// Sets that have members asleep are left out; but the members of one that has not been read in whole for
    /// scrub_age days are woken, and those of all with scrub_wakes=1: that starts disks. As long as a check is at
    /// work, the array does not shift down.
    Start(Start),
    /// Limit checks: KiB/s of each disk, or as 20M, or `none`
    Limit {
        limit: Limit,
        /// The array: md0, /dev/md0 or a link to it; needed if there are several
        array: Option<String>,
    },
    /// Pause a check or repair; the next one goes on from there
    Pause {
        /// The array: md0, /dev/md0 or a link to it; needed if there are several
        array: Option<String>,
    },
}

#[derive(Debug, clap::Args)]
struct Start {
    /// The array: md0, /dev/md0 or a link to it; needed if there are several
    array: Option<String>,
    /// Make parity right where it is not
    #[arg(long)]
    repair: bool,
    /// Begin at the start, though one was paused
    #[arg(long)]
    from_start: bool,
    /// Shift to the top gear first, so that all is read: this starts disks
    #[arg(long, conflicts_with_all = ["no_wake", "when_awake"])]
    wake: bool,
    /// Refuse, rather than start disks
    #[arg(long, conflicts_with = "when_awake")]
    no_wake: bool,
    /// Wait until all disks are awake, and pause whenever the array would shift down, until all is read. Ends
    /// when that is done; a check at work goes on if paradm is killed
    #[arg(long)]
    when_awake: bool,
    /// Pause then, and end: 18:00 (the next one), or '2026-11-25 18:00'
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
                    .ok_or_else(|| Error::Usage("that time is not to come".to_owned()))?
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
