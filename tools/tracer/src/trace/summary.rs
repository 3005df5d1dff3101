// SPDX-License-Identifier: GPL-2.0
//! What a trace is, in numbers.

use super::merge::{Merged, Met, Source};
use super::{Event, Op, SECTOR};
use crate::error::Result;
use crate::numbers::{percent, real};

/// Of the requests that were [added](Summary::add).
#[derive(Debug, Default, Clone, PartialEq)]
pub struct Summary {
    pub reads: u64,
    pub writes: u64,
    pub flushes: u64,
    /// Do not begin where the request before it on the same device ended.
    pub random: u64,
    pub bytes: u64,
    /// ns
    pub first: u64,
    pub last: u64,
    /// The sector after the last one, of each device.
    pub ends: Vec<u64>,
    after: Vec<Option<u64>>,
}

impl Summary {
    pub fn add(&mut self, event: &Event) {
        if self.requests() == 0 {
            self.first = event.at;
        }
        self.last = event.at;
        if event.op == Op::Flush {
            self.flushes += 1;
            return;
        }
        let device = usize::from(event.device);
        if self.ends.len() <= device {
            self.ends.resize(device + 1, 0);
            self.after.resize(device + 1, None);
        }
        match event.op {
            Op::Read => self.reads += 1,
            _ => self.writes += 1,
        }
        self.bytes += u64::from(event.bytes);
        if let (Some(end), Some(after)) = (self.ends.get_mut(device), self.after.get_mut(device)) {
            *end = (*end).max(event.end());
            self.random += u64::from(*after != Some(event.sector));
            *after = Some(event.end());
        }
    }

    pub fn requests(&self) -> u64 {
        self.reads + self.writes + self.flushes
    }

    pub fn read_percent(&self) -> f64 {
        percent(self.reads, self.reads + self.writes)
    }

    pub fn random_percent(&self) -> f64 {
        percent(self.random, self.reads + self.writes)
    }

    pub fn mean_bytes(&self) -> f64 {
        real(self.bytes) / real((self.reads + self.writes).max(1))
    }

    pub fn span_ns(&self) -> u64 {
        self.last - self.first
    }

    /// Of all devices, one after the other.
    pub fn end_bytes(&self) -> u64 {
        let sum = self
            .ends
            .iter()
            .fold(0u64, |sum, end| sum.saturating_add(*end));
        sum.saturating_mul(SECTOR)
    }
}

/// A trace as a whole.
#[derive(Debug)]
pub struct Looked {
    pub summary: Summary,
    pub met: Met,
    pub formats: String,
    pub devices: Vec<String>,
}

/// Read all of it.
pub fn look(source: &Source) -> Result<Looked> {
    let mut merged = Merged::open(source)?;
    let mut summary = Summary::default();
    while let Some(event) = merged.next_event()? {
        summary.add(&event);
    }
    let formats: Vec<_> = merged.formats.iter().map(|format| format.name()).collect();
    Ok(Looked {
        summary,
        formats: formats.join(","),
        devices: merged.devices.names().to_vec(),
        met: merged.met,
    })
}
