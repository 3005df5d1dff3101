// SPDX-License-Identifier: GPL-2.0
//! Formats of a line for each request.

use super::{Op, Parse, SECTOR, Said, seconds};
use std::borrow::Cow;

/// `NS OP SECTOR BYTES`: what generates requests in this tree, and policy-replay, speak this.
pub struct List;

impl Parse for List {
    fn wanted(&self) -> &'static str {
        "NS OP SECTOR BYTES"
    }

    fn parse<'a>(&mut self, line: &'a str) -> Option<Said<'a>> {
        let mut words = line.split_ascii_whitespace();
        let at = words.next()?.parse().ok()?;
        let op = match words.next()? {
            "r" => Op::Read,
            "w" => Op::Write,
            "f" => Op::Flush,
            _ => return None,
        };
        let sector: u64 = words.next()?.parse().ok()?;
        let bytes = words.next()?.parse().ok()?;
        words.next().is_none().then_some(Said::Request {
            at,
            op,
            device: Cow::Borrowed(""),
            offset: sector.checked_mul(SECTOR)?,
            bytes,
        })
    }
}

/// MSR Cambridge's: the time in units of 100 ns since 1601, place and length in bytes.
pub struct Csv;

impl Parse for Csv {
    fn wanted(&self) -> &'static str {
        "TIMESTAMP,HOST,DISK,Read|Write,OFFSET,BYTES,RESPONSE"
    }

    fn parse<'a>(&mut self, line: &'a str) -> Option<Said<'a>> {
        if line.to_ascii_lowercase().starts_with("timestamp,") {
            return Some(Said::Other);
        }
        let mut words = line.split(',');
        let time = words.next()?;
        let at: u64 = time.trim().parse().ok()?;
        let (host, disk) = (words.next()?, words.next()?);
        let op = match words.next()?.trim() {
            op if op.eq_ignore_ascii_case("read") => Op::Read,
            op if op.eq_ignore_ascii_case("write") => Op::Write,
            _ => return None,
        };
        let from = time.len() + 1;
        Some(Said::Request {
            at: at.checked_mul(100)?,
            op,
            device: Cow::Borrowed(line.get(from..from + host.len() + 1 + disk.len())?),
            offset: words.next()?.trim().parse().ok()?,
            bytes: words.next()?.trim().parse().ok()?,
        })
    }
}

/// The Storage Performance Council's: a unit (ASU), its block of 512 bytes, bytes, r or w, seconds; more may follow.
pub struct Spc;

impl Parse for Spc {
    fn wanted(&self) -> &'static str {
        "ASU,LBA,BYTES,R|W,SECONDS"
    }

    fn parse<'a>(&mut self, line: &'a str) -> Option<Said<'a>> {
        let mut words = line.split(',').map(str::trim);
        let device = words.next()?;
        device.parse::<u32>().ok()?;
        let block: u64 = words.next()?.parse().ok()?;
        let bytes = words.next()?.parse().ok()?;
        let op = match words.next()? {
            "r" | "R" => Op::Read,
            "w" | "W" => Op::Write,
            _ => return None,
        };
        Some(Said::Request {
            at: seconds(words.next()?)?,
            op,
            device: Cow::Borrowed(device),
            offset: block.checked_mul(SECTOR)?,
            bytes,
        })
    }
}

/// Florida International University's: place and length in blocks of 512 bytes. A process may have a name of several
/// words, so the last fields are counted from the end.
pub struct Fiu;

impl Parse for Fiu {
    fn wanted(&self) -> &'static str {
        "NS PID PROCESS LBA BLOCKS W|R MAJOR MINOR HASH"
    }

    fn parse<'a>(&mut self, line: &'a str) -> Option<Said<'a>> {
        let mut words = line.split_ascii_whitespace();
        let at = words.next()?.parse().ok()?;
        words.next()?.parse::<u32>().ok()?;
        words.next()?;
        let _hash = words.next_back()?;
        let minor: u32 = words.next_back()?.parse().ok()?;
        let major: u32 = words.next_back()?.parse().ok()?;
        let op = match words.next_back()? {
            "R" | "r" => Op::Read,
            "W" | "w" => Op::Write,
            _ => return None,
        };
        let blocks: u64 = words.next_back()?.parse().ok()?;
        let block: u64 = words.next_back()?.parse().ok()?;
        Some(Said::Request {
            at,
            op,
            device: Cow::Owned(format!("{major},{minor}")),
            offset: block.checked_mul(SECTOR)?,
            bytes: blocks.checked_mul(SECTOR)?,
        })
    }
}
