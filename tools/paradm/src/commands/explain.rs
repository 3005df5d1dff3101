// SPDX-License-Identifier: GPL-2.0

use crate::cli::{Context, Verdict};
use crate::error::Result;
use crate::status::Explanation;

/// Show why an array is in its gear, and what would change that
#[derive(Debug, clap::Args)]
pub struct Options {
    /// Only this array: md0, /dev/md0 or a link to it
    array: Option<String>,
}

pub fn run(options: &Options, context: &mut Context) -> Result<Verdict> {
    let explanation = Explanation::read(context.system, options.array.as_deref())?;
    context.output.show("explain/1", &explanation)?;
    Ok(explanation.verdict())
}
