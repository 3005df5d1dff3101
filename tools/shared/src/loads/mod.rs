// SPDX-License-Identifier: GPL-2.0
//! Days of requests of many kinds.
//!
//! A kind is some sources side by side. A source has sessions; in a session it sends requests, either to one place
//! after the other or anywhere in files: the n-th file is used by 1/sqrt(n).

pub mod chance;
mod kinds;
pub mod rhythm;

use crate::request::{Op, Request};
use chance::{Chance, Places, nanoseconds, real, whole};
pub use kinds::KINDS;

pub(crate) const HOUR: f64 = 3600.0;
pub(crate) const DAY: f64 = 24.0 * HOUR;
const MIB: u64 = 1 << 20;
const SECTOR: u64 = 512;
const PAGE: u32 = 4096;

#[derive(Debug, Clone, Copy)]
enum Spread {
    /// Always the same length.
    Regular,
    /// Exponential.
    Chance,
    /// Pareto, alpha 1.5: a few are very long.
    Heavy,
    /// Log-normal, sigma 1.
    Loose,
}

#[derive(Debug, Clone, Copy)]
struct Length {
    mean: f64,
    spread: Spread,
}

/// Sessions and what is in them; times in seconds.
#[derive(Debug)]
struct Source {
    /// Hours of the day in which sessions begin; equal: always.
    from: f64,
    to: f64,
    /// After a session, until the next one begins. If regular, they begin so far apart.
    pause: Length,
    lasts: Length,
    /// Requests a second in a session, by chance, or `even`: one like the other.
    rate: f64,
    even: bool,
    /// Of a request, or `mixed`: 1, 1, 2, 4 or 16 pages.
    bytes: u32,
    mixed: bool,
    /// Percent of the requests, or of the sessions if `sequential`.
    writes: u32,
    /// After so many writes, 0: never.
    flush: u32,
    /// One place after the other, from anywhere in a file on.
    sequential: bool,
    /// Not on the last two days of seven.
    workdays: bool,
}

#[derive(Debug)]
pub struct Kind {
    pub name: &'static str,
    pub what: &'static str,
    sources: &'static [Source],
}

/// How many days, where, and by which chance.
#[derive(Debug, Clone)]
pub struct Shape {
    pub days: u64,
    pub seed: u64,
    /// In bytes: the files lie anywhere in it.
    pub span: u64,
    pub files: u64,
    /// Of each file, at least 4 MiB.
    pub file_bytes: u64,
}

impl Default for Shape {
    fn default() -> Self {
        Shape {
            days: 1,
            seed: 1,
            span: 24_000_000_000_000,
            files: 4096,
            file_bytes: 1024 * MIB,
        }
    }
}

/// The kind of that name.
pub fn kind(name: &str) -> Option<&'static Kind> {
    KINDS.iter().find(|kind| kind.name == name)
}

/// The requests of a kind, in order of time.
#[derive(Debug)]
pub struct Load {
    disk: Disk,
    lives: Vec<Life>,
    /// That of a write that a flush follows.
    flush: Option<Request>,
}

#[derive(Debug)]
struct Disk {
    chance: Chance,
    places: Places,
    files: u64,
    file_bytes: u64,
    end: f64,
}

/// The state of a source: all times in seconds.
#[derive(Debug)]
struct Life {
    source: &'static Source,
    /// The session, and the next request.
    began: f64,
    ends: f64,
    next: f64,
    /// Sequential: the byte, and the bytes to the file's end.
    at: u64,
    left: u64,
    writes: bool,
    unflushed: u32,
}

impl Disk {
    fn new(shape: &Shape) -> Result<Self, String> {
        let room = shape.span.checked_div(shape.files).unwrap_or(0);
        if shape.file_bytes < 4 * MIB {
            return Err("a file has at least 4 MiB".to_owned());
        }
        if room <= shape.file_bytes {
            return Err(format!(
                "{} bytes have no room for {} files of {} MiB",
                shape.span,
                shape.files,
                shape.file_bytes / MIB
            ));
        }
        let mut chance = Chance(shape.seed);
        let places = Places::spread(&mut chance, shape.files, room, room - shape.file_bytes, MIB);
        Ok(Disk {
            chance,
            places,
            files: shape.files,
            file_bytes: shape.file_bytes,
            end: real(shape.days) * DAY,
        })
    }

    fn a_file(&mut self) -> u64 {
        self.places.one(&mut self.chance, self.files)
    }

    fn some(&mut self, length: &Length) -> f64 {
        let mean = length.mean;
        match length.spread {
            Spread::Regular => mean,
            Spread::Chance => -mean * (1.0 - self.chance.unit()).ln(),
            Spread::Heavy => mean / 3.0 * (1.0 - self.chance.unit()).powf(-1.0 / 1.5),
            Spread::Loose => mean * (self.chance.normal() - 0.5).exp(),
        }
    }
}

impl Source {
    fn works_at(&self, at: f64) -> bool {
        let hour = at % DAY / HOUR;
        if self.workdays && whole(at / DAY) % 7 >= 5 {
            return false;
        }
        self.is_always() || (hour >= self.from && hour < self.to)
    }

    #[allow(clippy::float_cmp)] // of the table
    fn is_always(&self) -> bool {
        self.from == self.to
    }

    /// A session that belongs to an hour of the day begins then; others when they are due.
    fn first_from(&self, mut at: f64, end: f64) -> f64 {
        while at < end && !self.works_at(at) {
            let hour = at % DAY / HOUR;
            if !self.is_always() && hour < self.from {
                at += (self.from - hour) * HOUR + 0.001;
            } else {
                at += DAY - at % DAY;
            }
        }
        at
    }
}

impl Life {
    fn new(source: &'static Source, disk: &mut Disk) -> Self {
        let mut life = Life {
            source,
            began: 0.0,
            ends: 0.0,
            next: 0.0,
            at: 0,
            left: 0,
            writes: false,
            unflushed: 0,
        };
        let first = match source.pause.spread {
            Spread::Regular => 0.0,
            _ => disk.some(&source.pause).min(source.pause.mean),
        };
        life.begin_session(disk, first);
        life
    }

    fn begin_session(&mut self, disk: &mut Disk, at: f64) {
        self.began = self.source.first_from(at, disk.end);
        self.ends = self.began + disk.some(&self.source.lasts);
        self.next = self.began;
        self.writes = disk.chance.percent(f64::from(self.source.writes));
        self.open_file(disk);
    }

    fn open_file(&mut self, disk: &mut Disk) {
        let skipped = disk.chance.below(disk.file_bytes / MIB / 2) * MIB;
        self.at = disk.a_file() + skipped;
        self.left = disk.file_bytes - skipped;
    }

    fn go_on(&mut self, disk: &mut Disk) {
        self.next += if self.source.even {
            1.0 / self.source.rate
        } else {
            -(1.0 - disk.chance.unit()).ln() / self.source.rate
        };
        if self.next < self.ends {
            return;
        }
        let pause = disk.some(&self.source.pause);
        match self.source.pause.spread {
            Spread::Regular => self.begin_session(disk, (self.began + pause).max(self.ends)),
            _ => self.begin_session(disk, self.ends + pause),
        }
    }

    fn place(&mut self, disk: &mut Disk, bytes: u32) -> u64 {
        if !self.source.sequential {
            let page = u64::from(PAGE);
            let within = disk.file_bytes - u64::from(bytes);
            return disk.a_file() + disk.chance.below(within / page + 1) * page;
        }
        if self.left < u64::from(bytes) {
            self.open_file(disk);
        }
        let at = self.at;
        self.at += u64::from(bytes);
        self.left -= u64::from(bytes);
        at
    }

    /// The next request, and is there a flush after it?
    fn send(&mut self, disk: &mut Disk) -> (Request, bool) {
        let source = self.source;
        let bytes = if source.mixed {
            disk.chance.pages() * PAGE
        } else {
            source.bytes
        };
        let write = if source.sequential {
            self.writes
        } else {
            disk.chance.percent(f64::from(source.writes))
        };
        let request = Request {
            at: nanoseconds(self.next),
            op: if write { Op::Write } else { Op::Read },
            sector: self.place(disk, bytes) / SECTOR,
            bytes,
        };
        if !write || source.flush == 0 {
            return (request, false);
        }
        self.unflushed += 1;
        let flushed = self.unflushed >= source.flush;
        if flushed {
            self.unflushed = 0;
        }
        (request, flushed)
    }
}

impl Load {
    /// The error says what of the shape is impossible.
    pub fn new(kind: &Kind, shape: &Shape) -> Result<Self, String> {
        let mut disk = Disk::new(shape)?;
        let lives = kind.sources.iter();
        let lives = lives.map(|source| Life::new(source, &mut disk)).collect();
        Ok(Load {
            disk,
            lives,
            flush: None,
        })
    }
}

impl Iterator for Load {
    type Item = Request;

    fn next(&mut self) -> Option<Request> {
        if let Some(flush) = self.flush.take() {
            return Some(flush);
        }
        let mut lives = self.lives.iter_mut();
        let first = lives.next()?;
        let first = lives.fold(
            first,
            |first, life| {
                if life.next < first.next { life } else { first }
            },
        );
        if first.next >= self.disk.end {
            return None;
        }
        let (request, flushed) = first.send(&mut self.disk);
        self.flush = flushed.then_some(Request {
            op: Op::Flush,
            sector: 0,
            bytes: 0,
            ..request
        });
        first.go_on(&mut self.disk);
        Some(request)
    }
}

/// The requests that write all files, at 0. The error says what of the shape is impossible.
pub fn filling(shape: &Shape) -> Result<impl Iterator<Item = Request> + use<>, String> {
    let disk = Disk::new(shape)?;
    let pieces = shape.file_bytes.div_ceil(MIB);
    let files = disk.places.all().to_vec().into_iter();
    let requests = files.flat_map(move |file| {
        (0..pieces).map(move |piece| Request {
            at: 0,
            op: Op::Write,
            sector: (file + piece * MIB) / SECTOR,
            bytes: 1 << 20,
        })
    });
    Ok(requests)
}
