// SPDX-License-Identifier: GPL-2.0
//! A request to a block device, and the line that all programs of the tree read: `NS OP SECTOR BYTES`.

use std::fmt;

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Op {
    Read,
    Write,
    Flush,
}

/// `at`: ns from the start; `sector`: in units of 512 bytes; `bytes`: 0 of a flush.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Request {
    pub at: u64,
    pub op: Op,
    pub sector: u64,
    pub bytes: u32,
}

impl Op {
    pub fn letter(self) -> char {
        match self {
            Op::Read => 'r',
            Op::Write => 'w',
            Op::Flush => 'f',
        }
    }
}

impl fmt::Display for Request {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        let op = self.op.letter();
        write!(f, "{} {op} {} {}", self.at, self.sector, self.bytes)
    }
}
