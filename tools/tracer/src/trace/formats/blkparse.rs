// SPDX-License-Identifier: GPL-2.0
//! What blkparse prints without a format of its own: `MAJOR,MINOR CPU SEQUENCE SECONDS PID ACTION RWBS SECTOR + SECTORS
//! [PROCESS]`. A row is a request where it is queued (Q); other actions are later stages of one. Totals follow the rows.

use super::{Op, Parse, SECTOR, Said, seconds};
use std::borrow::Cow;
use std::str::SplitAsciiWhitespace;

#[derive(Default)]
pub struct Blkparse;

impl Parse for Blkparse {
    fn wanted(&self) -> &'static str {
        "MAJOR,MINOR CPU SEQUENCE SECONDS PID ACTION RWBS SECTOR + SECTORS"
    }

    fn parse<'a>(&mut self, line: &'a str) -> Option<Said<'a>> {
        if line.starts_with("CPU")
            || line.starts_with("Total (")
            || line.starts_with("Throughput (")
        {
            return Some(Said::End);
        }
        if line.starts_with("Input file ") {
            return Some(Said::Other);
        }
        let mut words = line.split_ascii_whitespace();
        let device = words.next()?;
        is_device(device).then_some(())?;
        words.next()?.parse::<u32>().ok()?;
        words.next()?.parse::<u64>().ok()?;
        let at = seconds(words.next()?)?;
        words.next()?.parse::<u32>().ok()?;
        if words.next()? != "Q" {
            return Some(Said::Other);
        }
        queued(at, device, words)
    }
}

/// `MAJOR,MINOR`
pub(super) fn is_device(text: &str) -> bool {
    let numbers = text.split_once(',');
    numbers
        .is_some_and(|(major, minor)| [major, minor].iter().all(|one| one.parse::<u32>().is_ok()))
}

/// What was queued: `RWBS SECTOR + SECTORS …`.
pub(super) fn queued<'a>(
    at: u64,
    device: &'a str,
    mut words: SplitAsciiWhitespace<'a>,
) -> Option<Said<'a>> {
    let what = words.next()?;
    let request = |op, offset, bytes| Said::Request {
        at,
        op,
        device: Cow::Borrowed(device),
        offset,
        bytes,
    };
    if what.contains('D') {
        return Some(Said::Discard);
    }
    let Some(sector) = words.next().and_then(|word| word.parse::<u64>().ok()) else {
        // A flush has no place.
        return what.contains('F').then(|| request(Op::Flush, 0, 0));
    };
    let op = if what.contains('R') {
        Op::Read
    } else if what.contains('W') {
        Op::Write
    } else {
        return Some(Said::Other);
    };
    (words.next()? == "+").then_some(())?;
    let sectors: u64 = words.next()?.parse().ok()?;
    if sectors == 0 && what.contains('F') {
        return Some(request(Op::Flush, 0, 0));
    }
    let bytes = sectors.checked_mul(SECTOR)?;
    Some(request(op, sector.checked_mul(SECTOR)?, bytes))
}
