// SPDX-License-Identifier: GPL-2.0
//! Sending the requests of a trace to a device, each at its time.
//!
//! A request is sent when its time has come, whatever has become of those before it, unless as many as the depth are in
//! flight. Its latency counts from its time on, so that what waited for others, or was sent late, counts too. How late
//! requests were sent is a figure of its own.

mod content;
mod report;
pub(crate) mod ring;

pub use report::Report;

use crate::error::{Error, Result};
use crate::numbers::{Speed, real};
use crate::trace::merge::{Merged, Met, Source};
use crate::trace::summary::{Looked, look};
use crate::trace::{Event, Op, SECTOR};
use content::Contents;
use ring::{Buffer, Ended, Ring};
use rustix::fs::OFlags;
use rustix::time::{ClockId, clock_gettime};
use std::collections::HashMap;
use std::fs::{File, OpenOptions};
use std::io::{self, IsTerminal, Seek, SeekFrom, Write};
use std::os::unix::fs::{FileTypeExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

/// In flight at most.
pub const MOST_DEPTH: u64 = 65_536;
const EVERY: Duration = Duration::from_secs(1);

#[derive(Debug)]
pub struct Plan {
    pub source: Source,
    pub device: PathBuf,
    pub speed: Speed,
    /// As soon as there is room in flight, instead of at their times.
    pub at_once: bool,
    pub depth: u64,
    pub verify: bool,
    /// A flush follows each write, and is a part of it.
    pub fsync: bool,
    /// Writes are allowed.
    pub destroy: bool,
    /// For a row of each request.
    pub rows: bool,
}

/// A request that has been sent, and what has become of it.
#[derive(Debug, Clone, Copy)]
pub struct Row {
    pub event: Event,
    pub ns: u64,
    /// 0, or an errno.
    pub error: i32,
}

pub struct Replayed {
    pub report: Report,
    /// In the order of the trace.
    pub rows: Vec<Row>,
    pub interrupted: bool,
    pub met: Met,
}

struct Flight {
    event: Event,
    /// ns from the start.
    counts_from: u64,
    /// What it has to read.
    least: Vec<u32>,
    /// Its write has ended, and the flush behind it has not.
    flushing: bool,
}

struct Replay<'a> {
    plan: &'a Plan,
    merged: Merged,
    ring: Ring,
    report: Report,
    rows: Vec<Row>,
    contents: Contents,
    flights: HashMap<u64, Flight>,
    next: Option<Event>,
    number: u64,
    /// Of CLOCK_MONOTONIC.
    start: Duration,
    total: u64,
    shown: Duration,
}

/// A replay that has not begun: all is open, and the trace was read once.
pub struct Ready<'a>(Replay<'a>);

/// Replay it all, or until `stop` is set. An error names what failed.
pub fn replay(plan: &Plan, stop: &Arc<AtomicBool>) -> Result<Replayed> {
    ready(plan)?.go(stop)
}

/// Open all, and send nothing.
pub fn ready(plan: &Plan) -> Result<Ready<'_>> {
    let looked = look(&plan.source)?;
    let device = open(plan, &looked)?;
    let failed = |error| Error::Refused(format!("io_uring does not work here: {error}"));
    let largest = if plan.verify {
        0
    } else {
        largest(&plan.source)?
    };
    let ring = Ring::new(device, largest).map_err(failed)?;
    let mut merged = Merged::open(&plan.source)?;
    let next = merged.next_event()?;
    let report = Report::new()
        .ok_or_else(|| Error::Refused("there is no memory for a histogram".to_owned()))?;
    Ok(Ready(Replay {
        plan,
        merged,
        ring,
        report,
        rows: Vec::new(),
        contents: Contents::default(),
        flights: HashMap::new(),
        next,
        number: 0,
        start: monotonic(),
        total: looked.summary.requests(),
        shown: Duration::ZERO,
    }))
}

impl Ready<'_> {
    /// All of it, or until `stop` is set.
    pub fn go(self, stop: &Arc<AtomicBool>) -> Result<Replayed> {
        let mut replay = self.0;
        replay.start = monotonic();
        replay.run(stop)?;
        let interrupted = replay.next.is_some();
        replay.report.left = replay.total - replay.number;
        Ok(Replayed {
            report: replay.report,
            rows: replay.rows,
            interrupted,
            met: replay.merged.met,
        })
    }
}

/// A timer of io_uring ends by this clock.
fn monotonic() -> Duration {
    let time = clock_gettime(ClockId::Monotonic);
    let nanoseconds = u32::try_from(time.tv_nsec).unwrap_or(0);
    Duration::new(u64::try_from(time.tv_sec).unwrap_or(0), nanoseconds)
}

/// The largest request, in bytes.
fn largest(source: &Source) -> Result<usize> {
    let mut merged = Merged::open(source)?;
    let mut largest = 0;
    while let Some(event) = merged.next_event()? {
        largest = largest.max(event.bytes);
    }
    Ok(usize::try_from(largest).unwrap_or(usize::MAX))
}

/// With nobody else on it, if it is a block device.
fn open(plan: &Plan, looked: &Looked) -> Result<File> {
    let path = &plan.device;
    let name = path.display();
    let is = std::fs::metadata(path).map_err(|error| Error::read(path, error))?;
    let block = is.file_type().is_block_device();
    if !block && !is.is_file() {
        return Err(Error::Refused(format!(
            "{name} is no block device and no file"
        )));
    }
    let writes = looked.summary.writes > 0;
    if writes && !plan.destroy {
        return Err(Error::Refused(format!(
            "the trace writes, which would destroy what {name} holds; --destroy allows that"
        )));
    }
    let exclusive = if block && writes {
        OFlags::EXCL
    } else {
        OFlags::empty()
    };
    let flags = i32::try_from((OFlags::DIRECT | exclusive).bits()).unwrap_or(0);
    let file = OpenOptions::new()
        .read(true)
        .write(writes)
        .custom_flags(flags)
        .open(path);
    let mut file = file.map_err(|error| match error.kind() {
        io::ErrorKind::ResourceBusy => Error::Refused(format!(
            "{name} is mounted, or a member of something: nothing was written"
        )),
        _ => Error::read(path, error),
    })?;
    let size = file
        .seek(SeekFrom::End(0))
        .map_err(|error| Error::read(path, error))?;
    let end = looked
        .summary
        .ends
        .iter()
        .max()
        .copied()
        .unwrap_or(0)
        .saturating_mul(SECTOR);
    if end > size {
        return Err(Error::Refused(format!(
            "the trace reaches to byte {end}, and {name} has {size}: trace fit --on {name} moves its places"
        )));
    }
    Ok(file)
}

impl Replay<'_> {
    fn run(&mut self, stop: &Arc<AtomicBool>) -> Result<()> {
        loop {
            if !stop.load(Ordering::Relaxed) {
                self.send()?;
            }
            let stopped = stop.load(Ordering::Relaxed);
            if self.flights.is_empty() && (self.next.is_none() || stopped) {
                return Ok(());
            }
            self.wait(stopped)?;
            self.reap()?;
            self.progress();
        }
    }

    fn now(&self) -> u64 {
        let since = monotonic().saturating_sub(self.start);
        u64::try_from(since.as_nanos()).unwrap_or(u64::MAX)
    }

    fn has_room(&self) -> bool {
        u64::try_from(self.flights.len()).unwrap_or(u64::MAX) < self.plan.depth
    }

    fn due(&self, event: &Event) -> u64 {
        if self.plan.at_once {
            0
        } else {
            self.plan.speed.scale(event.at)
        }
    }

    /// All whose time has come.
    fn send(&mut self) -> Result<()> {
        let now = self.now();
        while let Some(event) = self
            .next
            .filter(|event| self.has_room() && self.due(event) <= now)
        {
            let due = self.due(&event);
            if !self.plan.at_once {
                self.report.late.add(now - due, 0);
            }
            self.put(event, if self.plan.at_once { now } else { due })?;
            self.next = self.merged.next_event()?;
        }
        self.ring.submit().map_err(|error| self.failed(error))
    }

    fn put(&mut self, event: Event, counts_from: u64) -> Result<()> {
        let number = self.number;
        let sectors = u64::from(event.bytes) / SECTOR;
        let mut least = Vec::new();
        let mut buffer = None;
        if self.plan.verify && event.op != Op::Flush {
            let mut own = Buffer::new(usize::try_from(event.bytes).unwrap_or(0));
            match event.op {
                Op::Write => self.contents.write(event.sector, own.bytes()),
                _ => least = self.contents.least(event.sector, sectors),
            }
            buffer = Some(own);
        }
        let offset = event.sector * SECTOR;
        let put = self.ring.put(number, event.op, offset, event.bytes, buffer);
        put.map_err(|error| self.failed(error))?;
        if self.plan.rows {
            self.rows.push(Row {
                event,
                ns: 0,
                error: 0,
            });
        }
        let flight = Flight {
            event,
            counts_from,
            least,
            flushing: false,
        };
        self.flights.insert(number, flight);
        self.number += 1;
        Ok(())
    }

    fn failed(&self, error: io::Error) -> Error {
        Error::write(self.plan.device.display(), error)
    }

    /// Until the next request is due, if there is room for it, or one ends.
    fn wait(&mut self, stopped: bool) -> Result<()> {
        let next = self.next.filter(|_| self.has_room() && !stopped);
        let until = next.map(|event| self.start + Duration::from_nanos(self.due(&event)));
        let shows = io::stderr().is_terminal();
        let waited = self.ring.wait(until, shows.then_some(EVERY));
        waited.map_err(|error| self.failed(error))
    }

    fn reap(&mut self) -> Result<()> {
        let ended = self.ring.ended();
        let now = self.now();
        for one in ended {
            if let Some(flight) = self.flights.remove(&one.number) {
                self.end(one, flight, now)?;
            }
        }
        self.ring.submit().map_err(|error| self.failed(error))
    }

    fn end(&mut self, ended: Ended, mut flight: Flight, now: u64) -> Result<()> {
        let event = flight.event;
        let error = error_of(
            &ended,
            if flight.flushing { Op::Flush } else { event.op },
            event.bytes,
        );
        let well = error == 0;
        if let Some(mut buffer) = ended.buffer {
            let sectors = u64::from(event.bytes) / SECTOR;
            match event.op {
                Op::Write => self.contents.written(event.sector, sectors, well),
                _ if well => {
                    self.report.wrong +=
                        self.contents
                            .wrong(event.sector, &flight.least, buffer.bytes())
                }
                _ => {}
            }
        }
        if well && self.plan.fsync && event.op == Op::Write && !flight.flushing {
            let put = self.ring.put(ended.number, Op::Flush, 0, 0, None);
            put.map_err(|error| self.failed(error))?;
            flight.flushing = true;
            self.flights.insert(ended.number, flight);
            return Ok(());
        }
        let ns = now - flight.counts_from;
        self.report.took = now;
        if well {
            self.report.add(&event, ns);
        } else {
            self.report.errors += 1;
            self.report.first_error.get_or_insert_with(|| {
                let what = io::Error::from_raw_os_error(error);
                format!("{} at sector {}: {what}", event.op.letter(), event.sector)
            });
        }
        let row = usize::try_from(ended.number)
            .ok()
            .and_then(|number| self.rows.get_mut(number));
        if let Some(row) = row {
            (row.ns, row.error) = (ns, error);
        }
        Ok(())
    }

    /// A line on a terminal that the next one replaces, each second; the last one is empty.
    fn progress(&mut self) {
        if !io::stderr().is_terminal() {
            return;
        }
        let now = Duration::from_nanos(self.now());
        let over = self.next.is_none() && self.flights.is_empty();
        if now < self.shown + EVERY && !over {
            return;
        }
        self.shown = now;
        let mut line = String::new();
        if !over && self.number > 0 {
            let seconds = now.as_secs_f64();
            let done = real(self.number) / real(self.total.max(1));
            let left = shared::loads::chance::whole(seconds / done - seconds);
            let rate = real(self.report.requests()) / seconds;
            line = format!(
                "{:.0} %, {rate:.0} IOPS, {} left",
                100.0 * done,
                shared::units::seconds(left)
            );
        }
        // What cannot be shown is no reason to stop.
        let _ = write!(io::stderr(), "\r\x1b[K{line}");
    }
}

/// An errno, or 0. A part of a request is an error, too: EIO.
fn error_of(ended: &Ended, op: Op, bytes: u32) -> i32 {
    let wanted = if op == Op::Flush { 0 } else { bytes };
    if u32::try_from(ended.result) == Ok(wanted) {
        return 0;
    }
    let error = ended.result.min(0).checked_neg();
    error.filter(|error| *error > 0).unwrap_or(5)
}

/// Rows `NS OP SECTOR BYTES LATENCY_NS ERROR`.
pub fn write_rows(path: &Path, rows: &[Row]) -> Result<()> {
    use crate::trace::write::{beside, persist};
    let failed = |error| Error::write(path.display(), error);
    let mut file = beside(path)?;
    let mut out = io::BufWriter::new(&mut file);
    for row in rows {
        let event = &row.event;
        let op = event.op.letter();
        writeln!(
            out,
            "{} {op} {} {} {} {}",
            event.at, event.sector, event.bytes, row.ns, row.error
        )
        .map_err(failed)?;
    }
    out.flush().map_err(failed)?;
    drop(out);
    persist(file, path)
}
