// SPDX-License-Identifier: GPL-2.0
//! The formats of traces: what is in a file, and its rows one by one.
//!
//! Each format is described where it is read. Sources: blktrace_api.h of Linux and blktrace's manual; fio's manual,
//! "trace file format"; the SPC trace format specification 1.0.1; the notes that come with the traces of MSR Cambridge and
//! of FIU (SNIA IOTTA).

mod blkparse;
pub mod blktrace;
mod fio;
mod ftrace;
mod text;

use super::input::{Bytes, Lines};
use super::{Devices, Event, MOST_BYTES, Op, SECTOR};
use std::borrow::Cow;
use std::io::{self, BufRead};

#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub enum Format {
    /// Lines NS OP SECTOR BYTES; OP is r, w or f (flush)
    List,
    /// MSR Cambridge: TIMESTAMP,HOST,DISK,Read|Write,OFFSET,BYTES,RESPONSE
    Csv,
    /// Binary, of blktrace
    Blktrace,
    /// Text, of blkparse
    Blkparse,
    /// Text of the kernel's tracing, with the event block_bio_queue
    Ftrace,
    /// fio's, versions 2 and 3
    Iolog,
    /// Storage Performance Council: ASU,LBA,BYTES,R|W,SECONDS
    Spc,
    /// Florida International University: NS PID PROCESS LBA BLOCKS W|R MAJOR MINOR HASH
    Fiu,
}

impl Format {
    pub fn name(self) -> &'static str {
        match self {
            Format::List => "list",
            Format::Csv => "csv",
            Format::Blktrace => "blktrace",
            Format::Blkparse => "blkparse",
            Format::Ftrace => "ftrace",
            Format::Iolog => "iolog",
            Format::Spc => "spc",
            Format::Fiu => "fiu",
        }
    }

    /// Are its times those of a clock? Then the trace begins with its first request.
    pub fn has_clock(self) -> bool {
        matches!(self, Format::Csv | Format::Fiu | Format::Ftrace)
    }

    /// What the beginning of a file is of; `None`: of no format.
    pub fn of(head: &[u8]) -> Option<Self> {
        if blktrace::Order::of(head).is_some() {
            return Some(Format::Blktrace);
        }
        let text = head.split(|byte| *byte == b'\n');
        let mut lines = text.filter_map(|line| std::str::from_utf8(line).ok());
        // The first line may be wrong, or a heading.
        lines.by_ref().take(20).find_map(Self::of_line)
    }

    fn of_line(line: &str) -> Option<Self> {
        if line.starts_with("fio version ") {
            return Some(Format::Iolog);
        }
        let is = |format: Self| {
            let parsed = format.parser()?.parse(line.trim());
            parsed.is_some().then_some(format)
        };
        let mut all = [
            Format::List,
            Format::Csv,
            Format::Blkparse,
            Format::Spc,
            Format::Fiu,
            Format::Ftrace,
        ]
        .into_iter();
        all.find_map(is)
    }

    fn parser(self) -> Option<Box<dyn Parse>> {
        Some(match self {
            Format::List => Box::new(text::List),
            Format::Csv => Box::new(text::Csv),
            Format::Blkparse => Box::<blkparse::Blkparse>::default(),
            Format::Ftrace => Box::<ftrace::Ftrace>::default(),
            Format::Spc => Box::new(text::Spc),
            Format::Fiu => Box::new(text::Fiu),
            Format::Iolog => Box::<fio::Iolog>::default(),
            Format::Blktrace => return None,
        })
    }

    /// The rows of a file of this format.
    pub fn reader(self, bytes: Bytes) -> Box<dyn Reader> {
        match self.parser() {
            Some(parser) => Box::new(TextReader {
                lines: Lines::new(bytes),
                parser,
                ended: false,
            }),
            None => Box::new(blktrace::BinaryReader::new(bytes)),
        }
    }
}

/// What a row is, and where: its line or record, from 1.
#[derive(Debug, PartialEq, Eq)]
pub struct Row {
    pub number: u64,
    pub found: Found,
}

#[derive(Debug, PartialEq, Eq)]
pub enum Found {
    /// `widened`: it was no whole sectors.
    Request { event: Event, widened: bool },
    /// It makes no sense.
    Wrong(String),
    /// Discards are not replayed.
    Discard,
    /// What is no request: another stage of one, a file that is opened, a heading.
    Other,
}

pub trait Reader {
    /// The next row; `None`: the file has ended. What it returns as an error ends the file.
    fn next(&mut self, devices: &mut Devices) -> io::Result<Option<Row>>;
}

/// What a line says.
enum Said<'a> {
    Request {
        at: u64,
        op: Op,
        device: Cow<'a, str>,
        /// In bytes.
        offset: u64,
        bytes: u64,
    },
    Discard,
    Other,
    /// What follows is no trace any more.
    End,
}

trait Parse {
    /// What a line is.
    fn wanted(&self) -> &'static str;

    /// `None`: the line is none of this format.
    fn parse<'a>(&mut self, line: &'a str) -> Option<Said<'a>>;
}

struct TextReader {
    lines: Lines,
    parser: Box<dyn Parse>,
    ended: bool,
}

impl Reader for TextReader {
    fn next(&mut self, devices: &mut Devices) -> io::Result<Option<Row>> {
        if self.ended {
            return Ok(None);
        }
        let Some((number, line)) = self.lines.next()? else {
            return Ok(None);
        };
        let found = match line {
            Err(why) => Found::Wrong(why.0.to_owned()),
            Ok(line) => match self.parser.parse(line) {
                Some(Said::End) => {
                    self.ended = true;
                    return Ok(None);
                }
                Some(said) => found(said, devices),
                None => {
                    let short: String = line.chars().take(80).collect();
                    Found::Wrong(format!("is not {}: {short:?}", self.parser.wanted()))
                }
            },
        };
        Ok(Some(Row { number, found }))
    }
}

fn found(said: Said, devices: &mut Devices) -> Found {
    match said {
        Said::Request {
            at,
            op,
            device,
            offset,
            bytes,
        } => match devices.number(&device) {
            Some(number) => request(at, op, number, offset, bytes),
            None => Found::Wrong("is of one device more than 65,536".to_owned()),
        },
        Said::Discard => Found::Discard,
        Said::Other | Said::End => Found::Other,
    }
}

/// A request, in whole sectors, if it makes sense.
fn request(at: u64, op: Op, device: u16, offset: u64, bytes: u64) -> Found {
    if op == Op::Flush {
        let event = Event {
            at,
            op,
            device,
            sector: 0,
            bytes: 0,
        };
        return Found::Request {
            event,
            widened: false,
        };
    }
    let sector = offset / SECTOR;
    let end = offset.checked_add(bytes).map(|end| end.div_ceil(SECTOR));
    let length = end.map(|end| (end - sector) * SECTOR);
    match length {
        _ if bytes == 0 => Found::Wrong("has no bytes".to_owned()),
        Some(length @ ..=MOST_BYTES) => Found::Request {
            event: Event {
                at,
                op,
                device,
                sector,
                bytes: u32::try_from(length).unwrap_or(0),
            },
            widened: offset % SECTOR != 0 || bytes % SECTOR != 0,
        },
        _ => Found::Wrong(format!(
            "has {bytes} bytes at {offset}: no request has more than 1 GiB"
        )),
    }
}

/// `SECONDS.FRACTION` as ns.
fn seconds(text: &str) -> Option<u64> {
    let (whole, fraction) = text.split_once('.').unwrap_or((text, "0"));
    let digits = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    if !digits(whole) || !digits(fraction) {
        return None;
    }
    let mut ns: u64 = whole.parse().ok()?;
    ns = ns.checked_mul(1_000_000_000)?;
    let mut unit = 100_000_000;
    for digit in fraction.bytes().take(9) {
        ns = ns.checked_add(u64::from(digit - b'0') * unit)?;
        unit /= 10;
    }
    Some(ns)
}

/// What a file is, by its beginning, which stays to be read.
pub fn recognize(bytes: &mut Bytes) -> io::Result<Option<Format>> {
    Ok(Format::of(bytes.fill_buf()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_exact() {
        assert_eq!(seconds("0.000000001"), Some(1));
        assert_eq!(seconds("12.5"), Some(12_500_000_000));
        assert_eq!(seconds("3"), Some(3_000_000_000));
        assert_eq!(seconds("1.9999999999"), Some(1_999_999_999));
        for wrong in ["", ".5", "5.", "-1", "1e3", "18446744074", "1.x"] {
            assert_eq!(seconds(wrong), None, "{wrong}");
        }
    }
}
