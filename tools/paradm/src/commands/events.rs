// SPDX-License-Identifier: GPL-2.0

use crate::cli::{Context, Verdict};
use crate::daemon::Kind;
use crate::error::Result;
use crate::events::{Events, Wanted};
use crate::pin::Since;

/// Show shifts, sleeps, wakes and decisions of the last days, as far as paradm daemon has kept them
///
/// The daemon writes them down every five minutes.
#[derive(Debug, clap::Args)]
pub struct Options {
    /// Only of this array: md0, /dev/md0 or a link to it; also one that runs no more, by its name
    array: Option<String>,
    /// Since 18:00 (the last one), '2026-11-25 18:00', or so long ago: 90min, 7days
    #[arg(long, value_name = "TIME", default_value = "1day")]
    since: Since,
    /// Only such events; several with commas between
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
