// SPDX-License-Identifier: GPL-2.0
//! The commands: options, one library call, an exit code.

mod change;
mod collect;
mod evaluate;
mod info;
mod manual;
mod meter;
mod replay;
mod synth;

use crate::cli::{Verdict, note};
use crate::error::{Error, Result};
use crate::trace::merge::{Merged, Met, Source, WINDOW};
use crate::trace::summary::Summary;
use crate::trace::write::{To, Writer, beside};
use crate::trace::{Devices, Event, Format, repository};
use clap::{Args, Subcommand};
use signal_hook::consts::{SIGINT, SIGTERM};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

#[derive(Debug, Subcommand)]
pub enum Command {
    Evaluate(evaluate::Options),
    Manual(manual::Options),
    Meter(meter::Options),
    Replay(Box<replay::Options>),
    /// Look at, change and make traces
    #[command(subcommand, arg_required_else_help = false)]
    Trace(Trace),
}

#[derive(Debug, Subcommand)]
pub enum Trace {
    Info(info::Options),
    Convert(change::Convert),
    Filter(change::Filter),
    Scale(change::Scale),
    Fit(change::Fit),
    Collect(collect::Options),
    #[command(subcommand, arg_required_else_help = false)]
    Synth(synth::Synth),
}

impl Command {
    pub fn run(&self) -> Result<Verdict> {
        match self {
            Command::Evaluate(options) => evaluate::run(options),
            Command::Manual(options) => manual::run(options),
            Command::Meter(options) => meter::run(options),
            Command::Replay(options) => replay::run(options),
            Command::Trace(trace) => match trace {
                Trace::Info(options) => info::run(options),
                Trace::Convert(options) => change::convert(options),
                Trace::Filter(options) => change::filter(options),
                Trace::Scale(options) => change::scale(options),
                Trace::Fit(options) => change::fit(options),
                Trace::Collect(options) => collect::run(options),
                Trace::Synth(synth) => synth::run(synth),
            },
        }
    }
}

/// Where a trace comes from.
#[derive(Debug, Args)]
struct Input {
    /// Files of one trace, merged by their times; - is standard input, and NAME all files NAME.blktrace.0, NAME.blktrace.1 and so on
    #[arg(value_name = "IN", required = true)]
    files: Vec<PathBuf>,
    /// The format of the files, if it is not to be found by their content
    #[arg(long, value_name = "FORMAT")]
    from: Option<Format>,
    /// Only requests to this device, as trace info names it
    #[arg(long)]
    device: Option<String>,
    /// Sort rows that are not in order within so many rows
    #[arg(long, value_name = "ROWS", default_value_t = WINDOW as u64, value_parser = clap::value_parser!(u64).range(1..=100_000_000))]
    window: u64,
}

impl Input {
    fn source(&self) -> Source {
        Source {
            paths: self.files.clone(),
            format: self.from,
            device: self.device.clone(),
            window: usize::try_from(self.window).unwrap_or(WINDOW),
        }
    }

    fn open(&self) -> Result<Merged> {
        Merged::open(&self.source())
    }
}

/// Where a trace goes.
#[derive(Debug, Clone, Args)]
struct Output {
    /// The file to write, or a repository: a directory, in which it gets a name that says what it is. Standard output
    /// otherwise
    #[arg(short, long, value_name = "OUT")]
    output: Option<PathBuf>,
    /// The format to write; otherwise by the name of OUT: .blktrace, .blktrace.0, .csv or .iolog, and a list if it is
    /// another. In a repository, blktrace
    #[arg(long, value_name = "FORMAT")]
    to: Option<To>,
}

/// A trace that is being written, to a file or into a repository.
struct Sink {
    writer: Writer,
    summary: Summary,
    /// A repository, and the file in it that has no name yet.
    filed: Option<(PathBuf, PathBuf)>,
    to: To,
    /// The trace's devices that were written.
    devices: std::collections::BTreeSet<u16>,
}

impl Output {
    fn create(&self) -> Result<Sink> {
        let directory = self.output.as_deref().filter(|path| path.is_dir());
        let to = self.to.unwrap_or(match (&self.output, directory) {
            (_, Some(_)) => To::Blktrace,
            (Some(path), _) => To::of(path),
            (None, _) => To::List,
        });
        let filed = match directory {
            Some(dir) => Some((dir.to_owned(), unnamed(dir)?)),
            None => None,
        };
        let path = filed.as_ref().map(|(_, file)| file.as_path());
        Ok(Sink {
            writer: Writer::create(path.or(self.output.as_deref()), to)?,
            summary: Summary::default(),
            filed,
            to,
            devices: std::collections::BTreeSet::new(),
        })
    }
}

/// A name in a directory that nothing has, and that no index takes up.
fn unnamed(dir: &Path) -> Result<PathBuf> {
    let file = beside(&dir.join("trace"))?;
    Ok(file.path().to_owned())
}

impl Sink {
    fn write(&mut self, event: &Event, devices: &Devices) -> Result<()> {
        self.summary.add(event);
        self.devices.insert(event.device);
        self.writer.write(event, devices)
    }

    /// Name the file, and say what its format has no place for. `device`: in the name, in a repository.
    fn finish(self, device: &str) -> Result<()> {
        if self.writer.lost > 0 {
            note(&format!(
                "{} flushes are left out: {} has none",
                self.writer.lost,
                self.to.name()
            ));
        }
        if self.devices.len() > 1 && self.to == To::List {
            note(&format!(
                "{} devices are as one in a list, at the places that they have; --device chooses one, and trace fit \
                 lays them one after the other",
                self.devices.len()
            ));
        }
        self.writer.finish()?;
        let Some((dir, file)) = self.filed else {
            return Ok(());
        };
        let path = repository::place(&dir, device, &self.summary, self.to.name());
        std::fs::rename(&file, &path).map_err(|error| Error::write(path.display(), error))?;
        println!("{}", path.display());
        Ok(())
    }
}

/// Say what was met in the rows.
fn met(met: &Met) -> Verdict {
    for line in met.wrong.lines() {
        note(&line);
    }
    if met.wrong.count > 0 {
        note(&format!(
            "{} rows that are no requests are left out",
            met.wrong.count
        ));
    }
    for line in met.late.lines() {
        note(&line);
    }
    if met.late.count > 0 {
        note(&format!(
            "{} rows come late; a larger --window sorts them",
            met.late.count
        ));
    }
    let remarks = [
        (met.sorted, "rows were not in order, and are sorted"),
        (
            met.widened,
            "requests were no whole sectors of 512 bytes, and are widened",
        ),
        (met.discards, "discards are left out: they are not replayed"),
        (met.others, "requests to other devices are left out"),
    ];
    for (count, what) in remarks {
        if count > 0 {
            note(&format!("{count} {what}"));
        }
    }
    if met.wrong.count + met.late.count > 0 {
        return Verdict::Findings;
    }
    Verdict::Done
}

/// Set by Ctrl-C; by a second one the program ends at once.
fn stop() -> Result<Arc<AtomicBool>> {
    let stop = Arc::new(AtomicBool::new(false));
    for signal in [SIGINT, SIGTERM] {
        signal_hook::flag::register_conditional_shutdown(signal, 130, Arc::clone(&stop))
            .and_then(|_| signal_hook::flag::register(signal, Arc::clone(&stop)))
            .map_err(|error| Error::Refused(format!("cannot handle signals: {error}")))?;
    }
    Ok(stop)
}
