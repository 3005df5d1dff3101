// SPDX-License-Identifier: GPL-2.0
//! blktrace's records, of either byte order: struct blk_io_trace of the kernel's blktrace_api.h, version 7, and as many
//! bytes after each as it says. A row is a request where it is queued; other actions are later stages of one.

use super::{Found, Op, Reader, Row, request};
use crate::trace::input::Bytes;
use crate::trace::{Devices, SECTOR};
use std::io::{self, BufRead, Read};

pub const RECORD: usize = 48;
/// The last byte is the version.
const MAGIC: u32 = 0x6561_7400;
const VERSION: u32 = 7;

/// An action, in the lower half of the word.
pub const QUEUE: u32 = 1;
/// What a request is, in its upper half.
pub const READ: u32 = 1 << 16;
pub const WRITE: u32 = 1 << 17;
const FLUSH: u32 = 1 << 18;
pub const SYNC: u32 = 1 << 19;
pub const QUEUED: u32 = 1 << 20;
const PC: u32 = 1 << 25;
const NOTIFY: u32 = 1 << 26;
const DISCARD: u32 = 1 << 29;
const DRIVER: u32 = 1 << 30;
pub const FLUSHES: u32 = FLUSH | WRITE | SYNC;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Order {
    Little,
    Big,
}

impl Order {
    /// By the magic number.
    pub fn of(head: &[u8]) -> Option<Self> {
        let magic = head.first_chunk::<4>()?;
        match MAGIC | VERSION {
            word if word == u32::from_le_bytes(*magic) => Some(Order::Little),
            word if word == u32::from_be_bytes(*magic) => Some(Order::Big),
            _ => None,
        }
    }

    fn u32(self, record: &[u8; RECORD], at: usize) -> u32 {
        let bytes = bytes(record, at);
        match self {
            Order::Little => u32::from_le_bytes(bytes),
            Order::Big => u32::from_be_bytes(bytes),
        }
    }

    fn u64(self, record: &[u8; RECORD], at: usize) -> u64 {
        let bytes = bytes(record, at);
        match self {
            Order::Little => u64::from_le_bytes(bytes),
            Order::Big => u64::from_be_bytes(bytes),
        }
    }
}

fn bytes<const N: usize>(record: &[u8; RECORD], at: usize) -> [u8; N] {
    let rest = record.get(at..).unwrap_or_default();
    rest.first_chunk().copied().unwrap_or([0; N])
}

/// What the kernel records of a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Record {
    pub sequence: u32,
    pub time: u64,
    pub sector: u64,
    pub bytes: u32,
    pub action: u32,
    pub device: u32,
}

impl Record {
    /// In this machine's usual order, little-endian, with no process and nothing after it.
    pub fn bytes(&self) -> [u8; RECORD] {
        let mut record = [0; RECORD];
        let mut rest: &mut [u8] = &mut record;
        let mut put = |bytes: &[u8]| {
            let (field, after) = std::mem::take(&mut rest).split_at_mut(bytes.len());
            field.copy_from_slice(bytes);
            rest = after;
        };
        put(&(MAGIC | VERSION).to_le_bytes());
        put(&self.sequence.to_le_bytes());
        put(&self.time.to_le_bytes());
        put(&self.sector.to_le_bytes());
        put(&self.bytes.to_le_bytes());
        put(&self.action.to_le_bytes());
        put(&0u32.to_le_bytes());
        put(&self.device.to_le_bytes());
        record
    }
}

pub struct BinaryReader {
    bytes: Bytes,
    number: u64,
    /// A second request of the last record: a write with a flush before it.
    next: Option<Row>,
}

impl BinaryReader {
    pub fn new(bytes: Bytes) -> Self {
        BinaryReader {
            bytes,
            number: 0,
            next: None,
        }
    }

    /// `None`: the file has ended, between two records.
    fn record(&mut self) -> io::Result<Option<[u8; RECORD]>> {
        if self.bytes.fill_buf()?.is_empty() {
            return Ok(None);
        }
        self.number += 1;
        let mut record = [0; RECORD];
        self.bytes
            .read_exact(&mut record)
            .map_err(|error| self.cut(error))?;
        Ok(Some(record))
    }

    fn cut(&self, error: io::Error) -> io::Error {
        match error.kind() {
            io::ErrorKind::UnexpectedEof => io::Error::new(
                error.kind(),
                format!("it ends within record {}", self.number),
            ),
            _ => error,
        }
    }

    fn skip(&mut self, bytes: u32) -> io::Result<()> {
        let skipped = io::copy(
            &mut (&mut self.bytes).take(u64::from(bytes)),
            &mut io::sink(),
        )?;
        if skipped < u64::from(bytes) {
            return Err(self.cut(io::ErrorKind::UnexpectedEof.into()));
        }
        Ok(())
    }

    fn row(&self, found: Found) -> Row {
        Row {
            number: self.number,
            found,
        }
    }
}

impl Reader for BinaryReader {
    fn next(&mut self, devices: &mut Devices) -> io::Result<Option<Row>> {
        if let Some(row) = self.next.take() {
            return Ok(Some(row));
        }
        let Some(record) = self.record()? else {
            return Ok(None);
        };
        let Some(order) = Order::of(&record) else {
            // Where the next one begins is not known.
            let what = format!(
                "record {} is no record of blktrace's version 7",
                self.number
            );
            return Err(io::Error::new(io::ErrorKind::InvalidData, what));
        };
        // The last field is two of 16 bits: an error, and the length of what follows.
        let ends = order.u32(&record, 44);
        self.skip(match order {
            Order::Little => ends >> 16,
            Order::Big => ends & 0xffff,
        })?;
        let action = order.u32(&record, 28);
        let is = |category: u32| action & category != 0;
        if action & 0xffff != QUEUE || is(NOTIFY | DRIVER | PC) {
            return Ok(Some(self.row(Found::Other)));
        }
        if is(DISCARD) {
            return Ok(Some(self.row(Found::Discard)));
        }
        let device = order.u32(&record, 36);
        let name = format!("{},{}", device >> 20, device & 0xf_ffff);
        let Some(device) = devices.number(&name) else {
            let wrong = "is of one device more than 65,536".to_owned();
            return Ok(Some(self.row(Found::Wrong(wrong))));
        };
        let at = order.u64(&record, 8);
        let bytes = order.u32(&record, 24);
        let flush = || self.row(request(at, Op::Flush, device, 0, 0));
        if is(FLUSH) && bytes == 0 {
            return Ok(Some(flush()));
        }
        let op = if is(WRITE) { Op::Write } else { Op::Read };
        let data = match order.u64(&record, 16).checked_mul(SECTOR) {
            Some(offset) => request(at, op, device, offset, u64::from(bytes)),
            None => Found::Wrong("is beyond the end of any device".to_owned()),
        };
        let data = self.row(data);
        if is(FLUSH) {
            let first = flush();
            self.next = Some(data);
            return Ok(Some(first));
        }
        Ok(Some(data))
    }
}
