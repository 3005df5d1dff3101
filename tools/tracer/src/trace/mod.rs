// SPDX-License-Identifier: GPL-2.0
//! Traces: reading, changing, writing.

pub mod filter;
pub mod fit;
pub mod formats;
mod input;
pub mod merge;
pub mod repository;
pub mod summary;
pub mod write;

pub use formats::Format;
pub use shared::request::Op;
use std::collections::HashMap;

pub const SECTOR: u64 = 512;
/// Larger ones are no requests.
pub const MOST_BYTES: u64 = 1 << 30;

/// A request of a trace. `at`: ns from its start; `bytes`: whole sectors, 0 of a flush.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Event {
    pub at: u64,
    pub op: Op,
    /// In [`Devices`].
    pub device: u16,
    pub sector: u64,
    pub bytes: u32,
}

impl Event {
    /// The sector after it.
    pub fn end(&self) -> u64 {
        self.sector + u64::from(self.bytes) / SECTOR
    }
}

/// The names of a trace's devices, as its format has them: `8,0`, `web,1`, a file, a number; none in a list.
#[derive(Debug, Default)]
pub struct Devices {
    names: Vec<String>,
    numbers: HashMap<String, u16>,
}

impl Devices {
    /// `None`: there are more than 65,535.
    pub fn number(&mut self, name: &str) -> Option<u16> {
        if let Some(number) = self.numbers.get(name) {
            return Some(*number);
        }
        let number = u16::try_from(self.names.len()).ok()?;
        self.names.push(name.to_owned());
        self.numbers.insert(name.to_owned(), number);
        Some(number)
    }

    pub fn name(&self, number: u16) -> &str {
        self.names
            .get(usize::from(number))
            .map_or("", String::as_str)
    }

    pub fn find(&self, name: &str) -> Option<u16> {
        self.numbers.get(name).copied()
    }

    pub fn names(&self) -> &[String] {
        &self.names
    }
}

/// What a file has wrong or left out, by row: counted, and the first ones named.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub struct Complaints {
    pub count: u64,
    pub first: Vec<String>,
}

impl Complaints {
    const NAMED: usize = 10;

    pub fn add(&mut self, text: impl FnOnce() -> String) {
        self.count += 1;
        if self.first.len() < Self::NAMED {
            self.first.push(text());
        }
    }

    /// A line each, and how many there are that have none.
    pub fn lines(&self) -> Vec<String> {
        let mut lines = self.first.clone();
        let more = self.count - u64::try_from(lines.len()).unwrap_or(self.count);
        if more > 0 {
            lines.push(format!("… and {more} more"));
        }
        lines
    }
}
