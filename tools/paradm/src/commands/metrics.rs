// SPDX-License-Identifier: GPL-2.0

use crate::cli::{Context, Verdict};
use crate::error::Result;
use crate::metrics::Metrics;
use std::path::PathBuf;

/// Print gears, disk states and spin-ups of all arrays in the format of Prometheus
#[derive(Debug, clap::Args)]
pub struct Options {
    /// Replace FILE, in the directory of node_exporter's textfile collector, instead of printing
    #[arg(long, value_name = "FILE", value_parser = prom_file)]
    textfile: Option<PathBuf>,
}

fn prom_file(given: &str) -> std::result::Result<PathBuf, String> {
    let path = PathBuf::from(given);
    let is_prom = path.extension().is_some_and(|ending| ending == "prom");
    is_prom
        .then_some(path)
        .ok_or_else(|| "node_exporter reads only files whose names end in .prom".to_owned())
}

pub fn run(options: &Options, context: &mut Context) -> Result<Verdict> {
    let metrics = Metrics::read(context.system)?;
    match &options.textfile {
        None => context.output.show("metrics/1", &metrics),
        Some(path) => {
            let saved = metrics.save(context.system, path)?;
            context.output.show("metrics-saved/1", &saved)
        }
    }?;
    Ok(metrics.verdict())
}
