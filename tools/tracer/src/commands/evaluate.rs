// SPDX-License-Identifier: GPL-2.0

use super::stop;
use crate::cli::{Verdict, note};
use crate::error::{Error, Result};
use crate::evaluate::store::{Found, Store};
use crate::evaluate::{Plan, beside_plan, run as run_plan};
use clap::Args;
use shared::style::Style;
use shared::table::{Align, Table};
use shared::units;
use std::io::{self, Write};
use std::path::PathBuf;

/// Replay traces at several loads and speeds on several arrays, and measure what they use
///
/// The results go to a database, a row for each test. A second call runs those tests that have no row yet.
#[derive(Debug, Args)]
pub struct Options {
    /// The plan
    #[arg(value_name = "PLAN.toml")]
    plan: PathBuf,
    /// The database, in SQLite; otherwise PLAN.sqlite
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
    /// Run nothing, and print the results
    #[arg(long, conflicts_with = "device")]
    tell: bool,
    /// The plan's only array is this device
    #[arg(long)]
    device: Option<PathBuf>,
    /// A meter of that device, as raid-tracer meter names it
    #[arg(long = "meter", value_name = "SOURCE", requires = "device")]
    meters: Vec<String>,
    /// A file with a number, which is read when a test begins and when it has ended
    #[arg(long = "counter", value_name = "FILE", requires = "device")]
    counters: Vec<PathBuf>,
}

pub fn run(options: &Options) -> Result<Verdict> {
    let mut plan = Plan::read(&options.plan)?;
    if let Some(device) = &options.device {
        plan.on(device, &options.meters, &options.counters)?;
    }
    let results = options
        .output
        .clone()
        .unwrap_or_else(|| beside_plan(&options.plan));
    if options.tell {
        if !results.exists() {
            return Err(Error::NotFound(format!(
                "there are no results {}",
                results.display()
            )));
        }
        print(&Store::look(&results)?.rows()?)?;
        return Ok(Verdict::Done);
    }
    let done = run_plan(&plan, &results, &stop()?, note)?;
    print(&Store::look(&results)?.rows()?)?;
    if done.known > 0 {
        note(&format!("{} tests were there already", done.known));
    }
    if done.left > 0 {
        return Err(Error::NotDone(format!(
            "interrupted: {} tests are left, which the same command runs",
            done.left
        )));
    }
    if done.failed > 0 {
        note(&format!(
            "{} of {} tests failed in part, or wholly",
            done.failed, done.run
        ));
        return Ok(Verdict::Findings);
    }
    Ok(Verdict::Done)
}

fn print(rows: &[Found]) -> Result<()> {
    let text = table(rows);
    let mut out = io::stdout();
    let written = out.write_all(text.as_bytes()).and_then(|()| out.flush());
    written.map_err(|error| Error::write("the output", error))
}

fn table(rows: &[Found]) -> String {
    let left = ["trace", "array"].map(|name| (name, Align::Left));
    let right = [
        "load", "speed", "size", "random", "reads", "seconds", "V", "A", "W", "J", "IOPS", "MB/s",
        "ms", "p99", "max", "IOPS/W", "MBPS/kW",
    ];
    let right = right.map(|name| (name, Align::Right));
    let mut table = Table::new(left.into_iter().chain(right));
    let or_none = |value: Option<f64>| value.map_or("-".to_owned(), |value| format!("{value:.3}"));
    for (trace, load, speed, array, row) in rows {
        table.row([
            shared::text::printable(trace),
            shared::text::printable(array),
            format!("{load} %"),
            speed.clone(),
            units::bytes(shared::loads::chance::whole(row.request_bytes.round())),
            format!("{:.0} %", row.random_percent),
            format!("{:.0} %", row.read_percent),
            format!("{:.3}", row.seconds),
            or_none(row.volts),
            or_none(row.amperes),
            or_none(row.watts),
            or_none(row.joules),
            format!("{:.3}", row.iops),
            format!("{:.3}", row.mbps),
            or_none(row.response_ms),
            or_none(row.p99_ms),
            or_none(row.longest_ms),
            or_none(row.iops_per_watt),
            or_none(row.mbps_per_kilowatt),
        ]);
    }
    table.render("", Style { color: false })
}
