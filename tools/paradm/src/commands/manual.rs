// SPDX-License-Identifier: GPL-2.0

use crate::cli::{Cli, Context, Verdict};
use crate::error::Result;
use crate::manual;
use clap::CommandFactory;
use std::path::PathBuf;

/// Write the man pages and the completions of bash, zsh and fish, for packages
///
/// They are generated from the commands. Existing files are replaced.
#[derive(Debug, clap::Args)]
pub struct Options {
    /// The directory that stands for /usr/share
    dir: PathBuf,
}

pub fn run(options: &Options, context: &mut Context) -> Result<Verdict> {
    let written = manual::write(context.system, &Cli::command(), &options.dir)?;
    context.output.show("manual/1", &written)?;
    Ok(Verdict::Done)
}
