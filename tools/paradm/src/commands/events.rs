// SPDX-License-Identifier: GPL-2.0

use crate::cli::{Context, Verdict};
use crate::daemon::Kind;
use crate::error::Result;
use crate::events::{Events, Wanted};
use crate::pin::Since;

/// Show shifts, sleeps, wakes and decisions of the last days, as far as paradm daemon has kept them
///
/// The daemon stores events every five minutes.
#[derive(Debug, clap::Args)]
pub struct Options {
    /// Only events of this array: md0, /dev/md0 or a link to it; by its name also an array that is stopped
    array: Option<String>,
    /// The time to begin with: 18:00 (the last one), '2026-11-25 18:00', or how long ago: 90min, 7days
    #[arg(long, value_name = "TIME", default_value = "1day")]
    since: Since,
    /// Only events of these kinds, separated by commas
    #[arg(long, value_name = "KIND", value_enum, value_delimiter = ',')]
    kind: Vec<Kind>,
}

pub fn run(options: &Options, context: &mut Context) -> Result<Verdict> {
    let wanted = Wanted {
        array: options.array.as_deref(),
        since: options.since,
        kinds: &options.kind,
    };
    let events = Events::read(context.system, wanted)?;
    context.output.show("events/1", &events)?;
    Ok(Verdict::Done)
}
