// SPDX-License-Identifier: GPL-2.0

use super::stop;
use crate::cli::{Verdict, note};
use crate::error::{Error, Result};
use crate::meter::{Channel, Measured, Metering, Sample};
use crate::trace::write::{beside, persist};
use clap::Args;
use shared::style::Style;
use shared::table::{Align, Table};
use std::fs::File;
use std::io::{self, IsTerminal, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};
use tempfile::NamedTempFile;

/// Measure power: of simulated disks, sensors of this machine, the states of disks, instruments and plugs
///
/// A SOURCE is KIND[:WHERE][?KEY=VALUE&KEY=VALUE...]: spindle, powercap, hwmon, states:FILE, csv:FILE, scpi:HOST[:PORT],
/// shelly:HOST, tasmota:HOST. It ends after --seconds, or by Ctrl-C, and prints what each channel has used.
#[derive(Debug, Args)]
pub struct Options {
    /// What is asked
    #[arg(value_name = "SOURCE", required = true)]
    sources: Vec<String>,
    /// Seconds from one reading to the next, 0.01 to 3600
    #[arg(long, value_name = "SECONDS", default_value = "1", value_parser = period)]
    period: Duration,
    /// How long to measure; otherwise until Ctrl-C
    #[arg(long, value_parser = clap::value_parser!(u64).range(1..=10_000_000))]
    seconds: Option<u64>,
    /// Write each reading to this file as it is read: CSV with the columns seconds, channel, volts, amperes, watts, joules
    #[arg(long, value_name = "FILE")]
    rows: Option<PathBuf>,
}

fn period(text: &str) -> std::result::Result<Duration, String> {
    let wrong = || "it is from 0.01 to 3600".to_owned();
    let seconds: f64 = text.parse().map_err(|_| wrong())?;
    if !(0.01..=3600.0).contains(&seconds) {
        return Err(wrong());
    }
    Ok(Duration::from_secs_f64(seconds))
}

pub fn run(options: &Options) -> Result<Verdict> {
    let stop = stop()?;
    let rows = options.rows.as_deref().map(Rows::create).transpose()?;
    let (rows, unnamed) = rows.map_or((None, None), |(rows, file)| (Some(rows), Some(file)));
    let failure = Arc::new(Mutex::new(None));
    let on_sample = to_rows(rows, Arc::clone(&failure));
    let began = Instant::now();
    let metering = Metering::begin(&options.sources, options.period, on_sample, note)?;
    if let (Some(file), Some(path)) = (unnamed, &options.rows) {
        persist(file, path)?;
    }
    let ends = options
        .seconds
        .map(|seconds| began + Duration::from_secs(seconds));
    wait(ends, &stop);
    let measured = metering.end();
    let mut out = io::stdout();
    let text = table(&measured);
    let written = out.write_all(text.as_bytes()).and_then(|()| out.flush());
    written.map_err(|error| Error::write("the output", error))?;
    let mut failure = failure.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some((path, error)) = failure.take() {
        return Err(Error::write(path, error));
    }
    if measured.faults > 0 {
        note(&format!(
            "{} readings failed, make no sense, or came late",
            measured.faults
        ));
        return Ok(Verdict::Findings);
    }
    if ends.is_some_and(|ends| Instant::now() < ends) {
        return Err(Error::NotDone(
            "interrupted: it was to be measured for longer".to_owned(),
        ));
    }
    Ok(Verdict::Done)
}

/// Until the end, or a signal.
fn wait(ends: Option<Instant>, stop: &Arc<AtomicBool>) {
    const EVERY: Duration = Duration::from_millis(100);
    while !stop.load(Ordering::Relaxed) {
        let left = match ends {
            Some(ends) => ends.saturating_duration_since(Instant::now()),
            None => EVERY,
        };
        if left.is_zero() {
            return;
        }
        std::thread::sleep(left.min(EVERY));
    }
}

/// A file that has all readings so far, also if the program is killed. It has no name until all sources have answered.
struct Rows {
    file: File,
    path: PathBuf,
}

impl Rows {
    fn create(path: &Path) -> Result<(Self, NamedTempFile)> {
        let failed = |error| Error::write(path.display(), error);
        if path.exists() && !path.is_file() {
            return Err(Error::Refused(format!(
                "{} is there, and is no file: readings are written to a file",
                path.display()
            )));
        }
        let mut unnamed = beside(path)?;
        writeln!(unnamed, "seconds,channel,volts,amperes,watts,joules").map_err(failed)?;
        let rows = Rows {
            file: unnamed.as_file().try_clone().map_err(failed)?,
            path: path.to_owned(),
        };
        Ok((rows, unnamed))
    }

    fn write(&mut self, sample: &Sample) -> io::Result<()> {
        let or_none = |value: Option<f64>| value.map_or(String::new(), |value| value.to_string());
        let line = format!(
            "{:.6},{},{},{},{},{:.6}\n",
            sample.at,
            quoted(&sample.channel),
            or_none(sample.volts),
            or_none(sample.amperes),
            or_none(sample.watts),
            sample.joules
        );
        self.file.write_all(line.as_bytes())
    }
}

fn quoted(name: &str) -> String {
    if name.contains([',', '"', '\n']) {
        return format!("\"{}\"", name.replace('"', "\"\""));
    }
    name.to_owned()
}

type Failure = Arc<Mutex<Option<(String, io::Error)>>>;

/// The first error is kept, and nothing is written after it. On a terminal, the latest reading is shown.
fn to_rows(mut rows: Option<Rows>, failure: Failure) -> Box<dyn FnMut(&Sample) + Send> {
    let shows = io::stderr().is_terminal();
    Box::new(move |sample| {
        if let Some(rows) = &mut rows {
            let mut failure = failure.lock().unwrap_or_else(PoisonError::into_inner);
            if failure.is_none() {
                let path = rows.path.display().to_string();
                *failure = rows.write(sample).err().map(|error| (path, error));
            }
        }
        if shows {
            let watts = sample.watts.unwrap_or(0.0);
            // What cannot be shown is no reason to stop.
            let _ = write!(
                io::stderr(),
                "\r\x1b[K{:.0} s, {}: {watts:.2} W, {:.1} J\r",
                sample.at,
                shared::text::printable(&sample.channel),
                sample.joules
            );
        }
    })
}

fn table(measured: &Measured) -> String {
    let columns = ["samples", "seconds", "J", "W", "least", "most", "V", "A"];
    let columns = columns.into_iter().map(|name| (name, Align::Right));
    let mut table = Table::new([("channel", Align::Left)].into_iter().chain(columns));
    for channel in &measured.channels {
        table.row(row(channel));
    }
    if measured.channels.len() > 1 {
        let mut all = vec![String::new(); 9];
        for (cell, text) in all.iter_mut().zip([
            "all".to_owned(),
            String::new(),
            String::new(),
            format!("{:.3}", measured.joules()),
            number(measured.watts()),
        ]) {
            *cell = text;
        }
        table.row(all);
    }
    table.render("", Style { color: false })
}

fn number(value: Option<f64>) -> String {
    value.map_or(String::new(), |value| format!("{value:.3}"))
}

fn row(channel: &Channel) -> Vec<String> {
    vec![
        shared::text::printable(&channel.name),
        channel.samples.to_string(),
        format!("{:.3}", channel.seconds),
        format!("{:.3}", channel.joules),
        number(channel.watts()),
        number(Some(channel.least).filter(|least| least.is_finite())),
        format!("{:.3}", channel.most),
        number(channel.volts()),
        number(channel.amperes()),
    ]
}
