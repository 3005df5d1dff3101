// SPDX-License-Identifier: GPL-2.0
//! One order of time for the rows of all files of a trace.
//!
//! The files are merged by the times of their next rows. Rows that are not in order are sorted within a window of rows: a
//! row is later than so many rows after it, or comes out in its place. What is later is issued when it is met, and named.

use super::formats::{self, Format, Found, Reader};
use super::{Complaints, Devices, Event, input};
use crate::error::{Error, Result};
use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::io;
use std::path::{Path, PathBuf};

pub const WINDOW: usize = 500_000;

/// Where a trace is, and how to read it.
#[derive(Debug, Clone)]
pub struct Source {
    pub paths: Vec<PathBuf>,
    /// Otherwise by the content.
    pub format: Option<Format>,
    /// Only this one.
    pub device: Option<String>,
    /// Rows, at least 1.
    pub window: usize,
}

/// What was met in the rows.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub struct Met {
    /// No requests, left out.
    pub wrong: Complaints,
    /// Behind the window.
    pub late: Complaints,
    /// Not in order, and sorted.
    pub sorted: u64,
    pub widened: u64,
    pub discards: u64,
    /// Of other devices than the chosen one.
    pub others: u64,
}

struct File {
    path: PathBuf,
    reader: Box<dyn Reader>,
    next: Option<(u64, Event)>,
}

/// The requests of a trace, in order of time. Those of formats with a clock begin at 0.
pub struct Merged {
    files: Vec<File>,
    pub devices: Devices,
    pub met: Met,
    pub formats: Vec<Format>,
    device: Option<String>,
    window: usize,
    /// By time, and then as they came; with the file and the row, to name it.
    waiting: BinaryHeap<Reverse<Waiting>>,
    came: u64,
    latest: u64,
    begins: Option<u64>,
    left_at: u64,
    requests: u64,
}

#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Waiting {
    at: u64,
    came: u64,
    file: usize,
    row: u64,
    event: Ordered,
}

#[derive(Debug, PartialEq, Eq)]
struct Ordered(Event);

// `came` differs between any two: events are not compared.
impl PartialOrd for Ordered {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Ordered {
    fn cmp(&self, _: &Self) -> std::cmp::Ordering {
        std::cmp::Ordering::Equal
    }
}

impl Merged {
    /// Open all files. An error names the file.
    pub fn open(source: &Source) -> Result<Self> {
        let mut opened = Vec::new();
        for path in source.paths.iter().flat_map(|path| per_cpu(path)) {
            let bytes = input::open(&path)?;
            opened.push((path, bytes));
        }
        Self::of(opened, source)
    }

    /// A trace in memory; `source` names it.
    pub fn in_memory(bytes: Vec<u8>, source: &Source) -> Result<Self> {
        let path = source.paths.first().cloned().unwrap_or_default();
        let bytes = input::decoded(Box::new(io::Cursor::new(bytes)));
        let bytes = bytes.map_err(|error| Error::read(&path, error))?;
        Self::of(vec![(path, bytes)], source)
    }

    fn of(opened: Vec<(PathBuf, input::Bytes)>, source: &Source) -> Result<Self> {
        let mut files = Vec::new();
        let mut formats = Vec::new();
        for (path, mut bytes) in opened {
            let found =
                formats::recognize(&mut bytes).map_err(|error| Error::read(&path, error))?;
            let format = source
                .format
                .or(found)
                .ok_or_else(|| Error::Format(path.clone()))?;
            formats.push(format);
            files.push(File {
                reader: format.reader(bytes),
                path,
                next: None,
            });
        }
        formats.dedup();
        if formats
            .iter()
            .any(|format| format.has_clock() != formats.iter().all(|f| f.has_clock()))
        {
            return Err(Error::Usage(
                "times of a clock and times from a start cannot be merged: convert the files one by one".to_owned(),
            ));
        }
        let clock = formats.iter().any(|format| format.has_clock());
        let mut merged = Merged {
            files,
            devices: Devices::default(),
            met: Met::default(),
            formats,
            device: source.device.clone(),
            window: source.window,
            waiting: BinaryHeap::new(),
            came: 0,
            latest: 0,
            begins: if clock { None } else { Some(0) },
            left_at: 0,
            requests: 0,
        };
        for file in 0..merged.files.len() {
            merged.advance(file)?;
        }
        Ok(merged)
    }

    /// The next request; `None`: there are no more. An error names the file.
    pub fn next_event(&mut self) -> Result<Option<Event>> {
        while self.waiting.len() < self.window && self.take()? {}
        let Some(Reverse(first)) = self.waiting.pop() else {
            return self.end();
        };
        self.requests += 1;
        let begins = *self.begins.get_or_insert(first.at);
        if first.at < self.left_at {
            let behind = self.left_at - first.at;
            let name = self.name(first.file, first.row);
            self.met.late.add(|| format!("{name} is {behind} ns behind the window of rows that are sorted, and comes later"));
        }
        self.left_at = self.left_at.max(first.at);
        let at = self.left_at - begins;
        Ok(Some(Event {
            at,
            ..first.event.0
        }))
    }

    /// One more row into the window.
    fn take(&mut self) -> Result<bool> {
        let next = |file: &File| file.next.as_ref().map(|(_, event)| event.at);
        let files = self.files.iter().enumerate();
        let earliest = files
            .filter_map(|(number, file)| next(file).map(|at| (at, number)))
            .min();
        let Some((at, file)) = earliest else {
            return Ok(false);
        };
        let Some((row, event)) = self.files.get_mut(file).and_then(|file| file.next.take()) else {
            return Ok(false);
        };
        if at < self.latest {
            self.met.sorted += 1;
        }
        self.latest = self.latest.max(at);
        self.came += 1;
        self.waiting.push(Reverse(Waiting {
            at,
            came: self.came,
            file,
            row,
            event: Ordered(event),
        }));
        self.advance(file)?;
        Ok(true)
    }

    /// The next request of a file.
    fn advance(&mut self, number: usize) -> Result<()> {
        loop {
            let Some(file) = self.files.get_mut(number) else {
                return Ok(());
            };
            let row = file.reader.next(&mut self.devices);
            let Some(row) = row.map_err(|error| Error::read(&file.path, error))? else {
                return Ok(());
            };
            match row.found {
                Found::Wrong(what) => {
                    let name = self.name(number, row.number);
                    self.met.wrong.add(|| format!("{name} {what}"));
                }
                Found::Discard => self.met.discards += 1,
                Found::Other => {}
                Found::Request { event, widened } => {
                    let wanted = self.device.as_deref();
                    if wanted.is_some_and(|wanted| wanted != self.devices.name(event.device)) {
                        self.met.others += 1;
                        continue;
                    }
                    self.met.widened += u64::from(widened);
                    if let Some(file) = self.files.get_mut(number) {
                        file.next = Some((row.number, event));
                    }
                    return Ok(());
                }
            }
        }
    }

    fn name(&self, file: usize, row: u64) -> String {
        let binary = self.formats == [Format::Blktrace];
        let what = if binary { "record" } else { "line" };
        let path = self
            .files
            .get(file)
            .map(|file| file.path.display().to_string());
        format!("{}: {what} {row}", path.unwrap_or_default())
    }

    fn end(&self) -> Result<Option<Event>> {
        if self.requests > 0 {
            return Ok(None);
        }
        if let (Some(device), 1..) = (&self.device, self.met.others) {
            return Err(Error::NotFound(format!(
                "the trace has no device {device}; it has {}",
                self.devices.names().join(" ")
            )));
        }
        let path = self.files.first().map(|file| file.path.clone());
        let first = self.met.wrong.first.first();
        Err(Error::Parse {
            path: path.unwrap_or_default(),
            what: match first {
                Some(first) => format!("there is no request in it; {first}"),
                None => "there is no request in it".to_owned(),
            },
        })
    }
}

/// blktrace writes a file for each CPU, NAME.blktrace.0 and so on: NAME is all of them.
fn per_cpu(path: &Path) -> Vec<PathBuf> {
    let of = |cpu: usize| {
        let mut name = path.as_os_str().to_owned();
        name.push(format!(".blktrace.{cpu}"));
        let plain = PathBuf::from(name);
        let compressed = ["", ".gz", ".xz", ".zst"].map(|end| {
            let mut name = plain.as_os_str().to_owned();
            name.push(end);
            PathBuf::from(name)
        });
        compressed.into_iter().find(|path| path.is_file())
    };
    if path.exists() || of(0).is_none() {
        return vec![path.to_owned()];
    }
    // A CPU that was off has no file.
    (0..8192).filter_map(of).collect()
}
