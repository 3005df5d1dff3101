// SPDX-License-Identifier: GPL-2.0

use crate::cli::{Context, Verdict};
use crate::error::Result;
use crate::status::Status;

/// Show gears, load, disks and their power
#[derive(Debug, clap::Args)]
pub struct Options {
    /// Only this array: md0, /dev/md0 or a link to it
    array: Option<String>,
}

pub fn run(options: &Options, context: &mut Context) -> Result<Verdict> {
    let status = Status::read(context.system, options.array.as_deref())?;
    context.output.show("status/1", &status)?;
    Ok(status.verdict())
}
