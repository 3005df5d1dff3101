// SPDX-License-Identifier: GPL-2.0

use crate::cli::{Context, Verdict};
use crate::error::Result;
use crate::pin::{self, EndedPins, Gears, Lasts, Length, Pins, Until, Which};
use clap::Subcommand;

/// Keep an array in a gear, or between two gears, for a time: "stay up until 18:00"
///
/// `paradm daemon` ends pins whose time is over; without it, `paradm pin end --expired` does, from a timer.
#[derive(Debug, clap::Args)]
#[command(arg_required_else_help = false)]
pub struct Options {
    #[command(subcommand)]
    action: Action,
}

#[derive(Debug, Subcommand)]
enum Action {
    /// Show all pins
    Show {
        /// Only of this array: md0, /dev/md0 or a link to it
        array: Option<String>,
    },
    /// Pin an array; an earlier pin of it is replaced
    ///
    /// A pin to a higher gear starts disks, which takes spin-ups from their budget.
    Set {
        /// A gear as its number of members, `top` or `lowest`; or a range such as 3-5
        gears: Gears,
        /// The array: md0, /dev/md0 or a link to it; needed if there are several
        array: Option<String>,
        /// The time at which the pin ends: 18:00 (the next one), or '2026-11-25 18:00'
        #[arg(long, value_name = "TIME", conflicts_with = "length")]
        until: Option<Until>,
        /// How long the pin lasts: 90min, 2h30m, 3days
        #[arg(long = "for", value_name = "TIME", id = "length")]
        length: Option<Length>,
    },
    /// End a pin now, and restore the array's limits from before it
    ///
    /// An array that shifts by itself may shift up then, which starts disks.
    End {
        /// The array: md0, /dev/md0 or a link to it; needed if several are pinned
        array: Option<String>,
        /// End the pins of all arrays whose time is over
        #[arg(long, conflicts_with_all = ["array", "forget"])]
        expired: bool,
        /// Remove the pin of an array that does not run; its limits stay as they are
        #[arg(long, requires = "array")]
        forget: bool,
    },
}

pub fn run(options: &Options, context: &mut Context) -> Result<Verdict> {
    let system = context.system;
    let output = &mut context.output;
    match &options.action {
        Action::Show { array } => output.show("pin/1", &Pins::read(system, array.as_deref())?),
        Action::Set {
            gears,
            array,
            until,
            length,
        } => {
            let lasts = match (until, length) {
                (Some(until), _) => Lasts::Until(*until),
                (_, Some(length)) => Lasts::For(*length),
                _ => Lasts::UntilEnded,
            };
            let pinned = pin::pin(system, array.as_deref(), *gears, lasts)?;
            output.show("pin-set/1", &pinned)
        }
        Action::End { expired: true, .. } => {
            let ended = pin::end_expired(system, system.now().as_second())?;
            output.show("pin-end/1", &EndedPins { ended })
        }
        Action::End { array, forget, .. } => {
            let which = match array.as_deref() {
                Some(array) if *forget => Which::Forgotten(array),
                array => Which::Array(array),
            };
            let ended = vec![pin::end(system, which)?];
            output.show("pin-end/1", &EndedPins { ended })
        }
    }?;
    Ok(Verdict::Done)
}
