// SPDX-License-Identifier: GPL-2.0
//! fio's iolog. A first line `fio version N iolog`; then, in version 3, lines `US FILE ACTION [OFFSET BYTES]`, times from
//! the start in µs. Version 2 has no times but `FILE wait US`, which is as long after the wait before it; what follows a
//! wait is sent then.

use super::{Op, Parse, Said};
use std::borrow::Cow;

#[derive(Default)]
pub struct Iolog {
    version: u32,
    /// Version 2: what was waited for so far, in ns.
    now: u64,
}

impl Parse for Iolog {
    fn wanted(&self) -> &'static str {
        match self.version {
            3 => "US FILE ACTION OFFSET BYTES",
            2 => "FILE ACTION OFFSET BYTES",
            _ => "\"fio version 2 iolog\" or \"fio version 3 iolog\"",
        }
    }

    fn parse<'a>(&mut self, line: &'a str) -> Option<Said<'a>> {
        if self.version == 0 {
            self.version = match line {
                "fio version 2 iolog" => 2,
                "fio version 3 iolog" => 3,
                _ => return None,
            };
            return Some(Said::Other);
        }
        let mut words = line.split_ascii_whitespace();
        let mut at = self.now;
        if self.version == 3 {
            at = words.next()?.parse::<u64>().ok()?.checked_mul(1000)?;
        }
        let file = words.next()?;
        let action = words.next()?;
        let mut number = || words.next()?.parse::<u64>().ok();
        let op = match action {
            "read" => Op::Read,
            "write" => Op::Write,
            "sync" | "datasync" => Op::Flush,
            "trim" => return Some(Said::Discard),
            "add" | "open" | "close" => return Some(Said::Other),
            "wait" if self.version == 2 => {
                let waited = number()?.checked_mul(1000)?;
                self.now = self.now.checked_add(waited)?;
                return Some(Said::Other);
            }
            _ => return None,
        };
        let (offset, bytes) = match op {
            Op::Flush => (0, 0),
            _ => (number()?, number()?),
        };
        Some(Said::Request {
            at,
            op,
            device: Cow::Borrowed(file),
            offset,
            bytes,
        })
    }
}
