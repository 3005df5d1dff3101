// SPDX-License-Identifier: GPL-2.0

use crate::cli::{Context, Verdict};
use crate::daemon;
use crate::error::Result;
use crate::output::printable;
use std::path::PathBuf;

/// Shift arrays by their schedules, end pins, keep a history, serve metrics, report events
///
/// The daemon runs until SIGTERM, and reads its configuration again at SIGHUP. It starts disks ahead of the load that
/// a schedule predicts, for arrays of `paradm schedule apply`; and when a pin ends, the array may shift up.
#[derive(Debug, clap::Args)]
pub struct Options {
    /// The configuration file, in place of /etc/paradm/daemon.toml
    #[arg(long, value_name = "FILE")]
    config: Option<PathBuf>,
    /// Read the configuration file, report its errors, and end
    #[arg(long)]
    check: bool,
}

pub fn run(options: &Options, context: &mut Context) -> Result<Verdict> {
    let (system, file) = (context.system, options.config.as_deref());
    if options.check {
        daemon::Config::read(system, file)?.check_files(system)?;
        return Ok(Verdict::Done);
    }
    let output = &mut context.output;
    // Nobody may read it.
    daemon::run(system, file, &mut |line| drop(output.note(printable(line))))?;
    Ok(Verdict::Done)
}
