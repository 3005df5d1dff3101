// SPDX-License-Identifier: GPL-2.0

use super::stop;
use crate::cli::{Verdict, note};
use crate::collect::{Plan, collect, watch};
use crate::error::Result;
use crate::numbers;
use crate::replay::MOST_DEPTH;
use crate::synth::SIZES;
use clap::Args;
use std::path::PathBuf;

/// Record the requests to a device into a repository
///
/// The load is that of synth modes, each as fast as the device takes it. Modes whose traces are there are left out, so that
/// the same command goes on after an interruption. The kernel's tracing records, which needs root.
#[derive(Debug, Args)]
pub struct Options {
    /// The block device
    device: PathBuf,
    /// The repository, a directory
    #[arg(short, long, value_name = "DIR")]
    output: PathBuf,
    /// Of each trace
    #[arg(long, default_value_t = 120, value_parser = clap::value_parser!(u64).range(1..=1_000_000))]
    seconds: u64,
    /// Requests in flight
    #[arg(long, default_value_t = 32, value_parser = clap::value_parser!(u64).range(1..=MOST_DEPTH))]
    depth: u64,
    /// Only modes with requests of this size: 512, 4K, 16K, 64K or 1M
    #[arg(long, value_name = "SIZE", value_parser = size)]
    size: Option<u32>,
    /// Send nothing, and record what others send, as one trace
    #[arg(long, conflicts_with_all = ["depth", "size", "destroy"])]
    watch: bool,
    /// Allow this on a device that holds something, which is destroyed
    #[arg(long)]
    destroy: bool,
}

fn size(text: &str) -> std::result::Result<u32, String> {
    let size = numbers::size(text)?;
    let known = SIZES.into_iter().find(|known| u64::from(*known) == size);
    known.ok_or_else(|| "it is 512, 4K, 16K, 64K or 1M".to_owned())
}

pub fn run(options: &Options) -> Result<Verdict> {
    let stop = stop()?;
    if options.watch {
        let kept = watch(&options.device, &options.output, options.seconds, &stop)?;
        let Some((path, count)) = kept else {
            note("there was no request, and no trace was made");
            return Ok(Verdict::Findings);
        };
        println!("{}", path.display());
        note(&format!("{count} requests were recorded"));
        return Ok(Verdict::Done);
    }
    let plan = Plan {
        device: options.device.clone(),
        dir: options.output.clone(),
        seconds: options.seconds,
        depth: options.depth,
        size: options.size,
        destroy: options.destroy,
    };
    collect(&plan, &stop, &mut |path| println!("{}", path.display()))?;
    Ok(Verdict::Done)
}
