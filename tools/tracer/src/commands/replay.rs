// SPDX-License-Identifier: GPL-2.0

use super::{met, stop};
use crate::cli::{Verdict, note};
use crate::error::{Error, Result};
use crate::numbers::Speed;
use crate::replay::{MOST_DEPTH, Plan, replay, write_rows};
use crate::trace::Format;
use crate::trace::merge::{Source, WINDOW};
use crate::trace::write::beside;
use clap::Args;
use std::io::{self, Write};
use std::path::PathBuf;

/// Send the requests of a trace to a device, each at its time
///
/// Requests go to the device by io_uring and O_DIRECT. Latencies count from the time that a request has in the trace.
/// Ctrl-C ends the replay, and prints what was measured so far.
#[derive(Debug, Args)]
pub struct Options {
    /// The trace; NAME is all files NAME.blktrace.0, NAME.blktrace.1 and so on
    trace: PathBuf,
    /// The block device, or a file
    device: PathBuf,
    /// The format of the trace, if it is not to be found by its content
    #[arg(long, value_name = "FORMAT")]
    from: Option<Format>,
    /// How many times as fast: 0.01 to 1000, or 1% to 100000%
    #[arg(long, value_name = "FACTOR", default_value = "1", value_parser = Speed::parse)]
    speed: Speed,
    /// Send each request as soon as fewer than --depth are in flight
    #[arg(long, requires = "depth", conflicts_with = "speed")]
    at_once: bool,
    /// In flight at most; a request that is due then waits
    #[arg(long, value_parser = clap::value_parser!(u64).range(1..=MOST_DEPTH))]
    depth: Option<u64>,
    /// Write content that says where and when it was written, and check it in each read of what this replay has written
    #[arg(long)]
    verify: bool,
    /// Follow each write by a flush, as a database does; its latency includes both
    #[arg(long)]
    fsync: bool,
    /// Allow the trace to write to the device, which destroys what it holds
    #[arg(long)]
    destroy: bool,
    /// Write a row for each request: NS OP SECTOR BYTES LATENCY_NS ERROR
    #[arg(long, value_name = "FILE")]
    rows: Option<PathBuf>,
}

pub fn run(options: &Options) -> Result<Verdict> {
    if options.trace.as_os_str() == "-" {
        return Err(Error::Usage(
            "replay reads a trace twice, which standard input does not allow".to_owned(),
        ));
    }
    let plan = Plan {
        source: Source {
            paths: vec![options.trace.clone()],
            format: options.from,
            device: None,
            window: WINDOW,
        },
        device: options.device.clone(),
        speed: options.speed,
        at_once: options.at_once,
        depth: options.depth.unwrap_or(MOST_DEPTH),
        verify: options.verify,
        fsync: options.fsync,
        destroy: options.destroy,
        rows: options.rows.is_some(),
    };
    // What cannot be written later is known now.
    if let Some(path) = &options.rows {
        beside(path)?;
    }
    let replayed = replay(&plan, &stop()?)?;
    let report = &replayed.report;
    let mut out = io::stdout();
    let text = report.text();
    let written = out.write_all(text.as_bytes()).and_then(|()| out.flush());
    written.map_err(|error| Error::write("the output", error))?;
    if let Some(path) = &options.rows {
        write_rows(path, &replayed.rows)?;
    }
    let verdict = met(&replayed.met);
    if let Some(first) = &report.first_error {
        note(&format!(
            "{} requests failed; the first: {first}",
            report.errors
        ));
    }
    if report.wrong > 0 {
        note(&format!(
            "{} sectors that were read are not what was written",
            report.wrong
        ));
    }
    if replayed.interrupted {
        return Err(Error::NotDone(format!(
            "interrupted: {} requests were not sent",
            report.left
        )));
    }
    if report.errors + report.wrong > 0 {
        return Ok(Verdict::Findings);
    }
    Ok(verdict)
}
